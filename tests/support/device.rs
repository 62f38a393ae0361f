//! A device at the other end of a UART: QEMU, or a board on the port that `SUNDEW_SERIAL` names.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long the device may take for anything. It answers in milliseconds; a loaded machine is slower.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long one read waits, so that [`PATIENCE`] is looked at.
const STEP: Duration = Duration::from_millis(100);

/// A board has one port, and tests run side by side.
static PORT: Mutex<()> = Mutex::new(());

pub struct Device {
    wire: Wire,
    /// What was received but not yet asked for.
    waiting: Vec<u8>,
}

enum Wire {
    Emulated {
        stream: TcpStream,
        qemu: Child,
    },
    Serial {
        port: File,
        _only_user: MutexGuard<'static, ()>,
    },
}

impl Device {
    /// The board at `SUNDEW_SERIAL`, or `elf` on an emulated `machine` if that is not set.
    pub fn start(machine: &str, elf: &Path) -> Self {
        match std::env::var_os("SUNDEW_SERIAL") {
            Some(port) => Self::open(Path::new(&port)),
            None => Self::boot(machine, elf, Stdio::inherit()),
        }
    }

    /// Boots `elf` on an emulated machine. What the firmware prints by semihosting goes to `log`.
    pub fn boot(machine: &str, elf: &Path, log: Stdio) -> Self {
        Self::boot_with(machine, elf, |command| {
            command.stdin(Stdio::null()).stdout(log);
        })
    }

    /// Boots `elf` on an emulated machine, with what `adjust` adds to QEMU's command line and streams.
    pub fn boot_with(machine: &str, elf: &Path, adjust: impl FnOnce(&mut Command)) -> Self {
        Self::boot_by(|port| {
            let mut command = Command::new("qemu-system-arm");
            command
                .args(["-M", machine, "-display", "none", "-monitor", "none"])
                .args(["-semihosting-config", "enable=on,target=native"])
                // Without nodelay every reply waits 40 ms.
                .args(["-serial", &format!("tcp:127.0.0.1:{port},nodelay=on")])
                .arg("-kernel")
                .arg(elf);
            adjust(&mut command);
            command
        })
    }

    /// Starts an emulator that connects its UART to the port that it is given.
    pub fn boot_by(command: impl FnOnce(u16) -> Command) -> Self {
        // The emulator connects to us: no port is guessed, and no byte is sent before someone listens.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().unwrap().port();
        let mut command = command(port);
        let machine = format!("{command:?}");
        let mut qemu = command.spawn().expect(
            "the emulator starts; if it is missing: apt-get install qemu-system-arm nodejs",
        );
        listener.set_nonblocking(true).unwrap();
        let started = Instant::now();
        let stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("{machine} cannot connect: {error}"),
            }
            if let Some(status) = qemu.try_wait().expect("QEMU can be asked") {
                panic!("{machine} did not start: {status}");
            }
            if started.elapsed() > PATIENCE {
                qemu.kill().expect("QEMU can be stopped");
                panic!("{machine} did not connect within {PATIENCE:?}");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        stream.set_nonblocking(false).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(STEP)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self {
            wire: Wire::Emulated { stream, qemu },
            waiting: Vec::new(),
        }
    }

    /// Opens the serial port of a board, whose keys it empties.
    fn open(path: &Path) -> Self {
        let only_user = PORT.lock().unwrap_or_else(PoisonError::into_inner);
        let status = Command::new("stty")
            .arg("-F")
            .arg(path)
            // A read returns after a tenth of a second without a byte.
            .args("115200 cs8 -cstopb -parenb -crtscts clocal raw -echo min 0 time 1".split(' '))
            .status()
            .expect("stty starts");
        assert!(status.success(), "stty cannot set up {}", path.display());
        let port = File::options()
            .read(true)
            .write(true)
            .open(path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut device = Self {
            wire: Wire::Serial {
                port,
                _only_user: only_user,
            },
            waiting: Vec::new(),
        };
        // Whoever used the board before may have left half a frame, which the shell gives up after a pause.
        device.read_until_quiet(Duration::from_millis(700));
        // Ctrl-C drops half a line.
        for line in ["\x03RESET\r\n", "FLUSHALL\r\n"] {
            device.send(line.as_bytes());
            device.read_until_quiet(Duration::from_millis(300));
        }
        device
    }

    pub fn send(&mut self, bytes: &[u8]) {
        match &mut self.wire {
            Wire::Emulated { stream, .. } => stream.write_all(bytes),
            Wire::Serial { port, .. } => port.write_all(bytes),
        }
        .expect("the device takes bytes");
    }

    /// Sends from another thread what is too much to send without reading, and reads until `end` comes.
    pub fn send_long(&mut self, bytes: &[u8], end: &[u8]) -> Vec<u8> {
        let mut sender: Box<dyn Write + Send> = match &self.wire {
            Wire::Emulated { stream, .. } => Box::new(stream.try_clone().unwrap()),
            Wire::Serial { port, .. } => Box::new(port.try_clone().unwrap()),
        };
        std::thread::scope(|scope| {
            scope.spawn(move || sender.write_all(bytes).expect("the device takes bytes"));
            self.read_until(end)
        })
    }

    /// Reads up to and including `end`.
    pub fn read_until(&mut self, end: &[u8]) -> Vec<u8> {
        let mut searched = 0;
        self.read_when(&format!("`{}`", end.escape_ascii()), |waiting| {
            let found = waiting[searched..]
                .windows(end.len())
                .position(|window| window == end)
                .map(|place| searched + place + end.len());
            searched = waiting.len().saturating_sub(end.len() - 1);
            found
        })
    }

    pub fn read_exact(&mut self, count: usize) -> Vec<u8> {
        self.read_when(&format!("{count} bytes"), |waiting| {
            (waiting.len() >= count).then_some(count)
        })
    }

    /// Reads one Redis reply, whole, as it came.
    pub fn read_reply(&mut self) -> Vec<u8> {
        self.read_when("a reply", reply_length)
    }

    /// Reads what comes until nothing came for so long.
    pub fn read_until_quiet(&mut self, pause: Duration) -> Vec<u8> {
        let started = Instant::now();
        let mut last = started;
        while last.elapsed() < pause {
            if self.receive() {
                last = Instant::now();
            }
            assert!(
                started.elapsed() < PATIENCE,
                "it talks without end: {}",
                self.waiting.escape_ascii()
            );
        }
        std::mem::take(&mut self.waiting)
    }

    /// Sends, and expects exactly that answer.
    #[track_caller]
    pub fn ask(&mut self, sent: &[u8], expected: &[u8]) {
        self.send(sent);
        let answer = self.read_exact(expected.len());
        assert_eq!(
            answer.escape_ascii().to_string(),
            expected.escape_ascii().to_string(),
            "the answer to `{}`",
            sent.escape_ascii()
        );
    }

    /// Whether the device is a board; what it runs is then not up to the test.
    pub fn is_board(&self) -> bool {
        matches!(self.wire, Wire::Serial { .. })
    }

    /// The emulator's process.
    pub fn emulator(&mut self) -> &mut Child {
        match &mut self.wire {
            Wire::Emulated { qemu, .. } => qemu,
            Wire::Serial { .. } => panic!("a board is not emulated"),
        }
    }

    /// Waits until the emulator exits. Returns how, and what is left of its output.
    pub fn wait(mut self) -> (ExitStatus, Vec<u8>) {
        let started = Instant::now();
        let Wire::Emulated { qemu, stream } = &mut self.wire else {
            panic!("a board does not exit");
        };
        loop {
            if let Some(status) = qemu.try_wait().expect("QEMU can be asked") {
                let _ = stream.read_to_end(&mut self.waiting);
                return (status, std::mem::take(&mut self.waiting));
            }
            assert!(started.elapsed() < PATIENCE, "QEMU did not exit");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the emulator and returns what the firmware printed by semihosting, if `log` was piped.
    pub fn stop(mut self) -> Vec<u8> {
        let mut log = Vec::new();
        if let Wire::Emulated { qemu, .. } = &mut self.wire {
            qemu.kill().expect("QEMU can be stopped");
            if let Some(mut output) = qemu.stdout.take() {
                output.read_to_end(&mut log).expect("the log can be read");
            }
        }
        log
    }

    /// Reads until `length` finds an end, and returns what is before it.
    #[track_caller]
    fn read_when(
        &mut self,
        wanted: &str,
        mut length: impl FnMut(&[u8]) -> Option<usize>,
    ) -> Vec<u8> {
        let mut last = Instant::now();
        loop {
            if let Some(length) = length(&self.waiting) {
                return self.waiting.drain(..length).collect();
            }
            if self.receive() {
                last = Instant::now();
            }
            assert!(
                last.elapsed() < PATIENCE,
                "the device is silent; {wanted} was expected after `{}`",
                self.waiting.escape_ascii()
            );
        }
    }

    /// Waits a little for bytes; says whether any came.
    fn receive(&mut self) -> bool {
        let mut chunk = [0; 4096];
        let result = match &mut self.wire {
            Wire::Emulated { stream, .. } => match stream.read(&mut chunk) {
                Ok(0) => panic!(
                    "the emulator exited; it had sent `{}`",
                    self.waiting.escape_ascii()
                ),
                result => result,
            },
            Wire::Serial { port, .. } => port.read(&mut chunk),
        };
        match result {
            Ok(count) => {
                self.waiting.extend_from_slice(&chunk[..count]);
                count > 0
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                false
            }
            Err(error) => panic!("the device cannot be read: {error}"),
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if let Wire::Emulated { qemu, .. } = &mut self.wire {
            // It may have exited by itself.
            let _ = qemu.kill();
            let _ = qemu.wait();
        }
    }
}

/// The length of the first Redis reply in `bytes`, or None if it is not whole.
fn reply_length(bytes: &[u8]) -> Option<usize> {
    let line = bytes.windows(2).position(|window| window == b"\r\n")? + 2;
    let number = || {
        let text = std::str::from_utf8(&bytes[1..line - 2]).expect("a length is ASCII");
        // -1 stands for null.
        text.parse::<i64>().expect("a length is a number").max(0) as usize
    };
    let elements = match bytes[0] {
        b'+' | b'-' | b':' | b'_' | b'#' | b',' | b'(' => 0,
        b'$' | b'=' | b'!' if bytes[1] == b'-' => 0,
        b'$' | b'=' | b'!' => {
            let end = line + number() + 2;
            return (bytes.len() >= end).then_some(end);
        }
        b'*' | b'~' | b'>' => number(),
        b'%' => 2 * number(),
        _ => panic!("no Redis reply: `{}`", bytes.escape_ascii()),
    };
    let mut end = line;
    for _ in 0..elements {
        end += reply_length(&bytes[end..])?;
    }
    Some(end)
}

#[test]
fn the_end_of_a_reply_is_found() {
    for reply in [
        "+OK\r\n",
        ":1\r\n",
        "#t\r\n",
        "$-1\r\n",
        "$0\r\n\r\n",
        "$4\r\na\r\nb\r\n",
        "*0\r\n",
        "*2\r\n:1\r\n$1\r\na\r\n",
        "%1\r\n+key\r\n*1\r\n_\r\n",
    ] {
        let bytes = reply.as_bytes();
        assert_eq!(
            reply_length(&[bytes, b"+next\r\n"].concat()),
            Some(bytes.len()),
            "{reply:?}"
        );
        for cut in 0..bytes.len() {
            assert_eq!(reply_length(&bytes[..cut]), None, "{reply:?} up to {cut}");
        }
    }
}
