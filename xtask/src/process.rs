//! A program that runs beside this one, whose output is read while it runs.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::call::Call;

const POLL: Duration = Duration::from_millis(20);

/// Killed when dropped.
pub struct Process {
    shown: String,
    child: Child,
    output: Arc<Mutex<Vec<u8>>>,
    readers: Vec<JoinHandle<()>>,
}

/// A process that ended by itself.
pub struct Ended {
    pub status: ExitStatus,
    /// Of both streams, as it came.
    pub output: String,
}

impl Process {
    pub fn start(mut command: Command) -> Outcome<Self> {
        let shown = format!("{command:?}");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {shown}: {error}"))?;
        let output = Arc::default();
        // Read while it runs: a full pipe would stop it.
        let readers = [
            child.stdout.take().map(|stream| read(stream, &output)),
            child.stderr.take().map(|stream| read(stream, &output)),
        ];
        Ok(Self {
            shown,
            child,
            output,
            readers: readers.into_iter().flatten().collect(),
        })
    }

    /// Until it printed `text`.
    pub fn wait_for(&mut self, text: &str, limit: Duration) -> Outcome {
        let start = Instant::now();
        loop {
            let has_ended = self.status()?.is_some();
            if has_ended {
                self.read_to_end()?;
            }
            if self.output().contains(text) {
                return Ok(());
            }
            if has_ended || start.elapsed() > limit {
                return Err(self.complaint(&format!("did not print `{text}`")));
            }
            thread::sleep(POLL);
        }
    }

    /// Sends what Ctrl-C at a terminal does.
    pub fn interrupt(&self) -> Outcome {
        Call::new(&format!("kill -INT {}", self.child.id())).run()
    }

    /// Until it ends; if it does not, it is killed.
    pub fn end(mut self, limit: Duration) -> Outcome<Ended> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.status()? {
                self.read_to_end()?;
                let output = self.output();
                return Ok(Ended { status, output });
            }
            if start.elapsed() > limit {
                let seconds = limit.as_secs();
                return Err(self.complaint(&format!("was killed after {seconds} s")));
            }
            thread::sleep(POLL);
        }
    }

    fn status(&mut self) -> Outcome<Option<ExitStatus>> {
        let status = self.child.try_wait();
        status.map_err(|error| format!("{}: {error}", self.shown))
    }

    /// What it had printed before it ended may not have been read yet.
    fn read_to_end(&mut self) -> Outcome {
        for reader in self.readers.drain(..) {
            reader.join().map_err(|_| "a reader panicked")?;
        }
        Ok(())
    }

    /// So far.
    fn output(&self) -> String {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&output).into_owned()
    }

    fn complaint(&self, problem: &str) -> String {
        format!("{} {problem}; it printed\n{}", self.shown, self.output())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(mut stream: impl Read + Send + 'static, output: &Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    let output = Arc::clone(output);
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        // An error is as good as an end.
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            output.extend(&buffer[..length]);
        }
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::Process;

    fn shell(line: &str) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        Process::start(command).unwrap()
    }

    #[test]
    fn a_process_that_hangs_is_killed() {
        let start = Instant::now();
        let error = shell("echo begun; exec sleep 60").end(Duration::from_millis(500));
        let error = error.err().unwrap();
        assert!(error.contains("was killed"), "{error}");
        assert!(error.contains("begun"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn both_streams_and_the_code_are_told() {
        let ended = shell("echo out; echo error >&2; exit 3").end(Duration::from_secs(30));
        let ended = ended.ok().unwrap();
        assert_eq!(ended.status.code(), Some(3));
        assert!(ended.output.contains("out\n") && ended.output.contains("error\n"));
    }

    #[test]
    fn waiting_ends_with_the_process() {
        let start = Instant::now();
        let mut process = shell("echo something");
        assert!(
            process
                .wait_for("something", Duration::from_secs(60))
                .is_ok()
        );
        assert!(process.wait_for("other", Duration::from_secs(60)).is_err());
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn an_interrupt_arrives() {
        // A shell could not trap what is ignored when it starts, as it is where the tests run in the background.
        let mut command = Command::new("python3");
        command.args([
            "-c",
            "import signal, sys, time\n\
             signal.signal(signal.SIGINT, lambda *_: sys.exit('caught'))\n\
             print('ready', flush=True)\n\
             time.sleep(60)",
        ]);
        let mut process = Process::start(command).unwrap();
        process.wait_for("ready", Duration::from_secs(30)).unwrap();
        process.interrupt().unwrap();
        let ended = process.end(Duration::from_secs(30)).ok().unwrap();
        assert!(ended.output.contains("caught"), "{}", ended.output);
    }
}
