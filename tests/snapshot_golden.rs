//! Snapshots are read by later versions and by other programs: the bytes of files that were written once.
//!
//! The files are never written again. For a structure that has none yet:
//! `cargo test --all-features --test snapshot_golden -- --ignored`, which leaves those that are there alone.

#[macro_use]
#[path = "support/snapshots.rs"]
mod snapshots;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use snapshots::{Answers, compressed, fill, plain};
use sundew::hash::{Murmur3, SipHash13, Xxh3, Xxh32};
use sundew::snapshot::{Encoding, Header, Snapshot};
use sundew::{
    AtomicBloom, Block1024, Block4096, BlockedBloom, ClassicBloom, CountMinSketch, CountingBloom,
    CuckooFilter, HyperLogLog6, RotatingBloom, ScalableBloom, StreamingHyperLogLog,
};

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/snapshot");
    folder.join(name).with_extension("snapshot")
}

thread_local! {
    /// What [`all`] has collected so far, in functions that cannot capture.
    static SEEN: RefCell<Vec<Golden>> = const { RefCell::new(Vec::new()) };
}

struct Golden {
    name: String,
    /// What this version writes.
    written: Vec<u8>,
    answers: Vec<u32>,
}

/// Both files of every structure: plain with 30 keys, and compressed with 4.
fn all() -> Vec<Golden> {
    fn collect<T: Snapshot + Answers + ?Sized, R>(
        name: &str,
        full: &mut T,
        sparse: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
    ) {
        fill(full, &insert, 0..30);
        fill(sparse, &insert, 0..4);
        let full = Golden {
            name: name.into(),
            written: plain(full),
            answers: full.answers(),
        };
        let sparse = Golden {
            name: format!("{name}-sparse"),
            written: compressed(sparse),
            answers: sparse.answers(),
        };
        SEEN.with_borrow_mut(|seen| seen.extend([full, sparse]));
    }
    for_each_structure!(collect);
    SEEN.take()
}

#[test]
fn snapshots_are_written_as_they_were() {
    for golden in all() {
        let name = &golden.name;
        let expected = fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(golden.written == expected, "{name} is written otherwise");
        let header = Header::parse(&expected).unwrap();
        assert_eq!(
            header.encoding != Encoding::Plain,
            name.ends_with("-sparse"),
            "{name}"
        );
    }
}

#[test]
fn snapshots_are_read_as_they_were() {
    fn check<T: Snapshot + Answers + ?Sized, R>(
        name: &str,
        target: &mut T,
        expected: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
    ) {
        fill(expected, &insert, 0..4);
        let sparse = fs::read(path(&format!("{name}-sparse"))).unwrap();
        assert_eq!(target.restore(&sparse), Ok(()), "{name}");
        assert_eq!(target.answers(), expected.answers(), "{name}");
        fill(expected, &insert, 4..30);
        assert_eq!(target.restore(&fs::read(path(name)).unwrap()), Ok(()));
        assert_eq!(target.answers(), expected.answers(), "{name}");
    }
    for_each_structure!(check);
}

/// It knows no more than what the pages on the format say.
#[test]
#[cfg_attr(miri, ignore = "starts a process")]
fn a_reader_in_another_language_gives_the_same_answers() {
    let all = all();
    let python = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshot_reader.py"))
        .args(all.iter().map(|golden| path(&golden.name)))
        .output()
        .expect("python3 starts; if it is missing: apt-get install python3");
    let errors = String::from_utf8_lossy(&python.stderr);
    assert!(python.status.success(), "{errors}");
    let printed = String::from_utf8(python.stdout).unwrap();
    assert_eq!(printed.lines().count(), all.len());
    for (golden, line) in all.iter().zip(printed.lines()) {
        let Golden { name, answers, .. } = golden;
        let is_sparse = name.ends_with("-sparse");
        let encoding = if is_sparse { "compressed" } else { "plain" };
        let mut expected = format!("{name} {encoding}");
        answers
            .iter()
            .for_each(|answer| expected += &format!(" {answer}"));
        assert_eq!(line, expected);
    }
}

#[test]
#[ignore = "writes the files of new structures"]
fn write_files_that_are_missing() {
    for golden in all() {
        let path = path(&golden.name);
        if !path.exists() {
            fs::write(path, golden.written).unwrap();
        }
    }
}
