//! A command line that can be run, and shown so that the user can repeat it.

use std::fmt;
use std::process::{Command, Stdio};

use crate::{Outcome, root};

#[derive(Clone)]
pub struct Call {
    words: Vec<String>,
    /// Below the repository's root; "" is the root itself.
    directory: String,
    environment: Vec<(&'static str, String)>,
}

impl Call {
    /// `line` is split at white space; there is no quoting.
    pub fn new(line: &str) -> Self {
        Self {
            words: line.split_whitespace().map(String::from).collect(),
            directory: String::new(),
            environment: Vec::new(),
        }
    }

    pub fn inside(mut self, directory: &str) -> Self {
        self.directory = directory.into();
        self
    }

    pub fn env(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    /// One more word, which may contain white space.
    pub fn arg(mut self, word: &str) -> Self {
        self.words.push(word.into());
        self
    }

    /// Runs with the user's terminal.
    pub fn run(&self) -> Outcome {
        let status = self
            .command()
            .status()
            .map_err(|error| format!("cannot start `{}`: {error}", self.words[0]))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("{status}; to repeat it:\n  {self}"))
        }
    }

    /// Says what it runs, then runs it.
    pub fn run_aloud(&self) -> Outcome {
        eprintln!("$ {self}");
        self.run()
    }

    /// Turns this process into the command, which keeps process id and terminal: whoever ends one ends the
    /// other, by whatever signal. Returns only if it cannot be started.
    #[cfg(unix)]
    pub fn replace_this_process(&self) -> Outcome {
        use std::os::unix::process::CommandExt;

        let error = self.command().exec();
        Err(format!("cannot start `{}`: {error}", self.words[0]))
    }

    /// Where a process cannot be replaced, waits for the command.
    #[cfg(not(unix))]
    pub fn replace_this_process(&self) -> Outcome {
        self.run()
    }

    /// What it prints, or None if it cannot be started or fails.
    pub fn output(&self) -> Option<String> {
        let output = self.command().stderr(Stdio::null()).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Whether it can be started and succeeds.
    pub fn succeeds(&self) -> bool {
        self.output().is_some()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command
            .args(&self.words[1..])
            .current_dir(root().join(&self.directory))
            // It would replace the link arguments in .cargo/config.toml.
            .env_remove("RUSTFLAGS");
        for (name, value) in &self.environment {
            command.env(name, value);
        }
        command
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.directory.is_empty() {
            write!(f, "cd {} && ", self.directory)?;
        }
        for (name, value) in &self.environment {
            write!(f, "{name}=\"{value}\" ")?;
        }
        f.write_str(&self.words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::Call;

    #[test]
    fn shows_directory_and_environment() {
        let call = Call::new("cargo doc")
            .inside("benches/host")
            .env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            call.to_string(),
            "cd benches/host && RUSTDOCFLAGS=\"-D warnings\" cargo doc"
        );
    }

    #[test]
    fn a_missing_program_is_no_success() {
        assert!(!Call::new("sundew-has-no-such-program").succeeds());
    }
}
