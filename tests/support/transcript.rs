//! Sessions with the shell and what it must say, in files that read like the session.
//!
//! A line `> text` is typed, what follows is the answer. `SUNDEW_BLESS=1 cargo test` writes the answers of the
//! device into the file instead of comparing them: look at the difference before you commit it.

use std::path::Path;

use super::device::Device;

/// Who types.
#[derive(Clone, Copy, PartialEq)]
pub enum Face {
    /// A person: Enter is a carriage return. Echo and prompt are checked, and left out of the file.
    Person,
    /// A client that sends inline commands: the file has one reply per line that is typed.
    Client,
}

const PROMPT: &str = "sundew> ";

/// Types the lines of a file in `tests/expected` and compares the answers.
pub fn check(device: &mut Device, file: &str, face: Face) {
    let path = super::root().join("tests/expected").join(file);
    let expected = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));

    if face == Face::Person {
        device.send(b"\r");
        device.read_until(PROMPT.as_bytes());
    }
    let mut found = String::new();
    for line in expected.lines() {
        // Comments stay; a line that is neither was said by the device and is written anew.
        if line.starts_with('#') && found.lines().all(|line| line.starts_with('#')) {
            found += line;
            found.push('\n');
        }
        let Some(typed) = line.strip_prefix('>') else {
            continue;
        };
        let typed = typed.strip_prefix(' ').unwrap_or(typed);
        found += line;
        found.push('\n');
        found += &match face {
            Face::Person => answer_to_person(device, typed),
            Face::Client => answer_to_client(device, typed),
        };
    }
    compare(&path, &expected, &found);
}

fn answer_to_person(device: &mut Device, typed: &str) -> String {
    device.send(typed.as_bytes());
    device.send(b"\r");
    let echo = device.read_until(b"\r\n");
    assert_eq!(
        String::from_utf8_lossy(&echo),
        format!("{typed}\r\n"),
        "the echo"
    );
    let answer = device.read_until(PROMPT.as_bytes());
    lines(&answer[..answer.len() - PROMPT.len()])
}

fn answer_to_client(device: &mut Device, typed: &str) -> String {
    device.send(typed.as_bytes());
    device.send(b"\r\n");
    lines(&device.read_reply())
}

fn lines(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer).replace("\r\n", "\n")
}

fn compare(path: &Path, expected: &str, found: &str) {
    if expected == found {
        return;
    }
    if std::env::var_os("SUNDEW_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(path, found).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let number = (expected.lines().zip(found.lines()))
        .take_while(|(expected, found)| expected == found)
        .count();
    panic!(
        "{}:{}: the device says something else; if it is right, run again with SUNDEW_BLESS=1\n\
         expected: {:?}\n   found: {:?}\nall of it:\n{found}",
        path.display(),
        number + 1,
        expected.lines().nth(number).unwrap_or("the end"),
        found.lines().nth(number).unwrap_or("the end"),
    );
}
