//! `cargo xtask test flash`: the unmodified probe-rs flashes the boards' firmware to machines of QEMU.

use std::fs;

use crate::emulated_board::{BOARDS, Board, EmulatedBoard};
use crate::probe_rs::{PATIENCE, ProbeRs, target_folder};
use crate::{Outcome, setup};

pub fn test() -> Outcome {
    let probe_rs = ProbeRs::install()?;
    for board in &BOARDS[..1] {
        setup::set_up_emulator(board.target)?;
        let machine = EmulatedBoard::start(board)?;
        let elf = target_folder()?
            .join(board.target)
            .join("release")
            .join(board.name);
        let elf = elf.to_string_lossy();
        for (c, a) in [
            ("verify", vec![&*elf]),
            ("download", vec!["--verify", &*elf]),
            ("verify", vec![&*elf]),
            ("erase", vec![]),
            ("verify", vec![&*elf]),
        ] {
            let t = std::time::Instant::now();
            let e = probe_rs.run(&machine, c, board.chip, &a)?;
            eprintln!("--- {c}: {:?} {:?}\n{}", e.status, t.elapsed(), e.output);
        }
        let mut machine = machine;
        let mut p = probe_rs.cargo_run(&machine, board, &[])?;
        p.wait_for("started", PATIENCE)?;
        machine.uart.ask("PING\r\n", "+PONG\r\n")?;
        p.interrupt()?;
        let e = p.end(PATIENCE)?;
        eprintln!("--- run: {:?}\n{}", e.status, e.output);
        machine.uart.ask("PING\r\n", "+PONG\r\n")?;
    }
    Ok(())
}
