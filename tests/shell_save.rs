//! The console saves its keys to flash, in slices, and has them again after a reset.

mod support;

use sundew::BlockedBloom;
use sundew::persist::Store;
use sundew::shell::{Arena, Fixed, Keyspace, Shell};
use support::console::{BOARD, Console};
use support::nor::{Cut, Nor};

type Flash = Nor<4, 1024>;

/// Two slots of 24 KiB.
const PAGES: usize = 48;

/// A device that starts on this flash: what it restored, and a console.
fn boot(flash: &mut Flash, test: impl FnOnce(&mut Console, Result<u32, String>)) {
    let mut store = Store::open(flash, 0..(PAGES * 1024) as u32, 2).unwrap();
    let mut urls: BlockedBloom<16, 7> = BlockedBloom::new();
    let mut fixed = [Fixed::blocked("urls", 700, &mut urls)];
    let mut arena = Arena::<256>::new();
    let keyspace = Keyspace::new(&mut fixed, arena.as_mut_view());
    let mut console = Console {
        shell: Shell::new(keyspace, BOARD),
        now: 1_000,
    };
    let restored = console.shell.restore_from(&mut store);
    test(&mut console, restored.map_err(|error| error.to_string()));
}

/// Lets time pass until the save is over.
fn finish(console: &mut Console) {
    for _ in 0..5_000 {
        if !console.shell.is_saving() {
            return;
        }
        console.wait(1);
    }
    panic!("it saves for ever");
}

fn save(console: &mut Console) {
    console.expect(&["SUNDEW.SAVE"], "+Background saving started\r\n");
    finish(console);
    let last = console.call(&["SUNDEW.LASTSAVE"]);
    assert!(last.ends_with("+error\r\n$0\r\n\r\n"), "{last}");
}

/// One of each kind, each with an item.
fn make_keys(console: &mut Console) {
    for command in [
        &["BF.ADD", "urls", "a"][..],
        &["BF.RESERVE", "grown", "0.01", "20"],
        &["CF.ADD", "cuckoo", "a"],
        &["CMS.INITBYDIM", "sketch", "20", "3"],
        &["CMS.INCRBY", "sketch", "a", "7"],
        &["PFADD", "distinct", "a", "b", "c"],
        &["CBF.RESERVE", "counting", "0.01", "50"],
        &["CBF.ADD", "counting", "a"],
        &["RBF.RESERVE", "rotating", "0.01", "50", "2", "EVERY", "100"],
        &["RBF.ADD", "rotating", "a"],
    ] {
        let reply = console.call(command);
        assert!(!reply.starts_with('-'), "{command:?}: {reply}");
    }
    for item in 0..100 {
        console.call(&["BF.ADD", "grown", &item.to_string()]);
    }
}

fn check_keys(console: &mut Console) {
    for (command, reply) in [
        (&["BF.EXISTS", "urls", "a"][..], ":1\r\n"),
        (&["BF.EXISTS", "urls", "b"], ":0\r\n"),
        (&["BF.CARD", "urls"], ":1\r\n"),
        (&["CF.COUNT", "cuckoo", "a"], ":1\r\n"),
        (&["CMS.QUERY", "sketch", "a"], "*1\r\n:7\r\n"),
        (&["PFCOUNT", "distinct"], ":3\r\n"),
        (&["CBF.COUNT", "counting", "a"], ":1\r\n"),
        (&["RBF.EXISTS", "rotating", "a"], ":1\r\n"),
        (&["DBSIZE"], ":7\r\n"),
    ] {
        console.expect(command, reply);
    }
    for item in 0..100 {
        console.expect(&["BF.EXISTS", "grown", &item.to_string()], ":1\r\n");
    }
}

#[test]
fn all_keys_are_there_after_a_reset() {
    let mut flash = Flash::new(PAGES);
    let mut debug = String::new();
    boot(&mut flash, |console, restored| {
        assert_eq!(restored, Ok(0));
        make_keys(console);
        debug = console.call(&["BF.DEBUG", "grown"]);
        assert!(debug.starts_with("*4"), "three stages: {debug}");
        save(console);
        // Not in it.
        console.call(&["BF.ADD", "urls", "b"]);
    });
    boot(&mut flash, |console, restored| {
        assert_eq!(restored, Ok(9));
        check_keys(console);
        console.expect(&["BF.DEBUG", "grown"], &debug);
        // What is there since is replaced by what was saved.
        console.call(&["BF.ADD", "urls", "b"]);
        console.call(&["DEL", "cuckoo"]);
        console.expect(&["SUNDEW.RESTORE"], ":9\r\n");
        check_keys(console);
    });
}

#[test]
fn save_after_save_is_there_after_a_reset() {
    let mut flash = Flash::new(PAGES);
    let mut writes = Vec::new();
    for life in 0..3 {
        boot(&mut flash, |console, restored| {
            assert_eq!(restored.unwrap() > 0, life > 0);
            for turn in 0..30 {
                let item = format!("{life} {turn}");
                console.call(&["BF.ADD", "urls", &item]);
                match turn {
                    5 => drop(console.call(&["BF.RESERVE", &item, "0.01", "10"])),
                    9 => drop(console.call(&["DEL", &format!("{life} 5")])),
                    _ => {}
                }
                save(console);
            }
        });
        writes.push(flash.bytes_written);
        boot(&mut flash, |console, _| {
            for (life, turn) in (0..=life).flat_map(|life| (0..30).map(move |turn| (life, turn))) {
                let item = format!("{life} {turn}");
                console.expect(&["BF.EXISTS", "urls", &item], ":1\r\n");
            }
        });
    }
    // A full save of `urls` is over 1 KB; 90 of them would be over 90 KB.
    assert!(writes[2] < 60_000, "{writes:?}");
}

#[test]
fn it_answers_while_it_saves() {
    let mut flash = Flash::new(PAGES);
    boot(&mut flash, |console, _| {
        make_keys(console);
        console.expect(
            &["SUNDEW.SAVE", "1700000000"],
            "+Background saving started\r\n",
        );
        console.expect(
            &["SUNDEW.SAVE"],
            "-ERR a save is running; SUNDEW.LASTSAVE tells when it is done\r\n",
        );
        let mut calls = 0;
        while console.shell.is_saving() {
            check_keys(console);
            calls += 1;
        }
        assert!(calls > 1);
        let info = console.call(&["INFO"]);
        assert!(
            info.contains("save_sequence:1\r\nsave_in_progress:0\r\nsave_error:\r\n"),
            "{info}"
        );
        let last = console.call(&["SUNDEW.LASTSAVE"]);
        assert!(
            last.contains("+stamp\r\n:1700000000\r\n+records\r\n:9\r\n"),
            "{last}"
        );
        console.expect(
            &["SUNDEW.SAVE", "soon"],
            "-ERR value is not an integer or out of range\r\n",
        );
    });
}

#[test]
fn keys_that_come_go_or_rotate_meanwhile_make_it_begin_again() {
    for command in [
        &["DEL", "cuckoo"][..],
        &["BF.RESERVE", "new", "0.01", "10"],
        &["RBF.ROTATE", "rotating"],
        &["clear", "urls"],
        &["FLUSHALL"],
    ] {
        for step in 1..40 {
            let mut flash = Flash::new(PAGES);
            let mut before = Vec::new();
            let questions: [&[&str]; 6] = [
                &["BF.EXISTS", "urls", "a"],
                &["CF.EXISTS", "cuckoo", "a"],
                &["RBF.EXISTS", "rotating", "a"],
                &["BF.MEXISTS", "grown", "1", "99"],
                &["CBF.EXISTS", "counting", "a"],
                &["DBSIZE"],
            ];
            boot(&mut flash, |console, _| {
                make_keys(console);
                console.expect(&["SUNDEW.SAVE"], "+Background saving started\r\n");
                for _ in 0..step {
                    console.wait(1);
                }
                console.call(command);
                finish(console);
                before = questions.map(|question| console.call(question)).to_vec();
            });
            boot(&mut flash, |console, restored| {
                assert!(restored.is_ok());
                let after = questions.map(|question| console.call(question)).to_vec();
                assert_eq!(after, before, "{command:?} after {step}");
            });
        }
    }
}

#[test]
fn after_a_power_failure_at_any_moment_a_whole_save_is_there() {
    let mut flash = Flash::new(PAGES);
    boot(&mut flash, |console, _| {
        make_keys(console);
        save(console);
    });
    let mut done = flash.clone();
    let before = done.operations.len();
    boot(&mut done, |console, _| {
        console.call(&["BF.ADD", "urls", "second"]);
        save(console);
    });
    let operations = done.operations.len() - before;
    for operation in 0..operations {
        let mut flash = flash.clone();
        flash.cut(Cut {
            operation: before + operation,
            seed: operation as u64,
        });
        boot(&mut flash, |console, _| {
            console.call(&["BF.ADD", "urls", "second"]);
            console.call(&["SUNDEW.SAVE"]);
            finish(console);
            console.expect(&["BF.EXISTS", "urls", "second"], ":1\r\n");
        });
        flash.power_on();
        boot(&mut flash, |console, restored| {
            assert_eq!(restored, Ok(9), "cut in {operation}");
            for item in ["a", "1"] {
                let key = if item == "a" { "urls" } else { "grown" };
                console.expect(&["BF.EXISTS", key, item], ":1\r\n");
            }
            console.expect(&["CF.COUNT", "cuckoo", "a"], ":1\r\n");
        });
    }
}

#[test]
fn flash_that_fails_is_told_and_the_keys_go_on() {
    let mut flash = Flash::new(PAGES);
    flash.refuses_erases.extend(0..PAGES);
    boot(&mut flash, |console, _| {
        make_keys(console);
        console.expect(&["SUNDEW.SAVE"], "+Background saving started\r\n");
        finish(console);
        let info = console.call(&["INFO"]);
        assert!(
            info.contains("save_error:flash cannot be erased at "),
            "{info}"
        );
        let last = console.call(&["SUNDEW.LASTSAVE"]);
        assert!(last.contains("flash cannot be erased at "), "{last}");
        check_keys(console);
    });
}

#[test]
fn what_does_not_fit_the_flash_or_the_arena_is_told() {
    let mut flash = Flash::new(PAGES);
    let mut other_size: BlockedBloom<17, 7> = BlockedBloom::new();
    Store::open(&mut flash, 0..(PAGES * 1024) as u32, 2)
        .unwrap()
        .save(b"urls", other_size.as_mut_view(), 0)
        .unwrap();
    boot(&mut flash, |console, restored| {
        let error = "the snapshot is of another size, or of other parameters";
        assert_eq!(restored, Err(error.into()));
        console.expect(&["SUNDEW.RESTORE"], &format!("-ERR {error}\r\n"));
        console.expect(&["CBF.RESERVE", "large", "0.0001", "900"], "+OK\r\n");
        save(console);
        let reply = console.call(&["SUNDEW.RESTORE"]);
        assert!(
            reply.starts_with("-ERR operation exceeds bloom object memory limit: "),
            "{reply}"
        );
        console.expect(&["EXISTS", "large"], ":1\r\n");
        console.expect(&["DEL", "large"], ":1\r\n");
        console.expect(&["SUNDEW.RESTORE"], ":2\r\n");
        console.expect(&["EXISTS", "large"], ":1\r\n");
    });

    let mut small = Flash::new(2);
    let mut store = Store::open(&mut small, 0..2048, 2).unwrap();
    let mut urls: BlockedBloom<16, 7> = BlockedBloom::new();
    let mut fixed = [Fixed::blocked("urls", 700, &mut urls)];
    let mut arena = Arena::<1>::new();
    let mut console = Console {
        shell: Shell::new(Keyspace::new(&mut fixed, arena.as_mut_view()), BOARD),
        now: 0,
    };
    assert!(matches!(console.shell.restore_from(&mut store), Ok(0)));
    console.call(&["SUNDEW.SAVE"]);
    finish(&mut console);
    let last = console.call(&["SUNDEW.LASTSAVE"]);
    assert!(
        last.contains("the flash has no room for all keys"),
        "{last}"
    );
}

#[test]
fn without_flash_it_says_so() {
    support::console::with_console(|console| {
        for command in ["SUNDEW.SAVE", "SUNDEW.RESTORE", "SUNDEW.LASTSAVE"] {
            console.expect(&[command], "-ERR this board has no flash to save to\r\n");
        }
    });
}

/// Without an end it would erase pages until the flash is worn out.
#[test]
fn a_save_that_keys_do_not_let_end_is_given_up() {
    let mut flash = Flash::new(PAGES);
    boot(&mut flash, |console, _| {
        make_keys(console);
        save(console);
        console.expect(&["SUNDEW.SAVE"], "+Background saving started\r\n");
        let mut calls = 0;
        while console.shell.is_saving() {
            console.expect(&["RBF.ROTATE", "rotating"], "+OK\r\n");
            calls += 1;
            assert!(calls < 20);
        }
        let last = console.call(&["SUNDEW.LASTSAVE"]);
        assert!(last.contains("a key changed while it was saved"), "{last}");
        // What was saved before is as it was.
        console.expect(&["SUNDEW.RESTORE"], ":9\r\n");
        check_keys(console);
        save(console);
    });
}

#[test]
fn refused_items_do_not_keep_a_save_from_its_end() {
    let mut flash = Flash::new(PAGES);
    boot(&mut flash, |console, _| {
        let full = |console: &mut Console, item: u32| {
            let reply = console.call(&["BF.ADD", "grown", &item.to_string()]);
            reply.contains("memory limit")
        };
        console.expect(&["BF.RESERVE", "grown", "0.01", "100"], "+OK\r\n");
        let first = (0..).find(|item| full(console, *item)).unwrap();
        console.expect(&["SUNDEW.SAVE"], "+Background saving started\r\n");
        for item in first.. {
            if !console.shell.is_saving() {
                break;
            }
            full(console, item);
        }
        let last = console.call(&["SUNDEW.LASTSAVE"]);
        assert!(last.ends_with("+error\r\n$0\r\n\r\n"), "{last}");
    });
}

#[test]
fn a_restore_that_fails_keeps_no_ram() {
    let mut flash = Flash::new(PAGES);
    boot(&mut flash, |console, _| {
        let free = |console: &mut Console| {
            let info = console.call(&["INFO"]);
            let line = info.lines().find(|line| line.starts_with("arena_free"));
            line.unwrap().to_owned()
        };
        make_keys(console);
        save(console);
        // No room for the second copy of what has grown.
        let mut name = 0;
        loop {
            let reply = console.call(&["BF.RESERVE", &name.to_string(), "0.01", "1", "NONSCALING"]);
            if reply != "+OK\r\n" {
                break;
            }
            name += 1;
        }
        for name in 0..4 {
            let before = free(console);
            let reply = console.call(&["SUNDEW.RESTORE"]);
            assert!(reply.contains("memory limit"), "{reply}");
            assert_eq!(free(console), before);
            // Then for one stage of it, or two.
            console.expect(&["DEL", &name.to_string()], ":1\r\n");
        }
    });
}
