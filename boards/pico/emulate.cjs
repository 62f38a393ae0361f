// Runs the firmware in rp2040js: node emulate.cjs ELF [HOST:PORT | listen:PORT]
// The UART is on the terminal, on a connection to HOST:PORT, or on one client after the other at a port of 127.0.0.1.
// `cargo xtask shell --board pico` installs rp2040js and calls this.
const fs = require('fs');
const net = require('net');
const { Simulator } = require('rp2040js');

const NANOSECONDS_PER_CYCLE = 8; // 125 MHz
const VECTORS = 0x10000100;
const UART_ERRORS = 0x04;
const UART_DMA_CONTROL = 0x48;

const [path, wire = 'terminal'] = process.argv.slice(2);
const simulator = new Simulator();
const { clock, rp2040 } = simulator;
const { core } = rp2040;
const uart = rp2040.uart[0];

// What has no code on purpose in the emulator is silent: the memory protection unit, the UART's DMA.
rp2040.logger = { debug() {}, info() {}, warn() {}, error(...text) { console.error(...text); } };
// The emulator reads registers that it does not have as all ones, which here would mean an error with every byte.
const read = uart.readUint32.bind(uart);
const write = uart.writeUint32.bind(uart);
uart.readUint32 = (offset) => (offset === UART_ERRORS ? 0 : read(offset));
uart.writeUint32 = (offset, value) => {
  if (offset !== UART_ERRORS && offset !== UART_DMA_CONTROL) write(offset, value);
};

// The segments that lie in flash, and a start from the vector table: there is no boot ROM.
const elf = fs.readFileSync(path);
const [headers, count] = [elf.readUInt32LE(28), elf.readUInt16LE(44)];
for (let i = 0; i < count; i++) {
  const field = (j) => elf.readUInt32LE(headers + 32 * i + 4 * j);
  const [type, from, to, bytes] = [field(0), field(1), field(3), field(4)];
  if (type === 1 && bytes > 0 && to >>> 24 === 0x10) {
    rp2040.flash.set(elf.subarray(from, from + bytes), to & 0xffffff);
  }
}
core.VTOR = VECTORS;
core.SP = rp2040.readUint32(VECTORS);
core.PC = rp2040.readUint32(VECTORS + 4) & ~1;

// Bytes wait here for the firmware, as they do in QEMU: the FIFO has room for 32, and half of them leave time to take
// them out.
const incoming = [];
let send = () => {};
uart.onByte = (byte) => send(Buffer.from([byte]));

const isPending = () => core.pendingSystick || (core.pendingInterrupts & core.enabledInterrupts) !== 0;

const start = process.hrtime.bigint();
function run() {
  const now = Number(process.hrtime.bigint() - start);
  const end = clock.nanos + 5e6;
  while (clock.nanos < end) {
    // A pending interrupt ends the sleep also while interrupts are off.
    if (core.waiting && isPending()) core.waiting = false;
    if (core.waiting) {
      if (incoming.length > 0) break;
      // Asleep, time passes as it does here.
      const next = clock.nanosToNextAlarm;
      if (clock.nanos + next > now) break;
      clock.tick(next);
    } else {
      clock.tick(core.executeInstruction() * NANOSECONDS_PER_CYCLE);
    }
  }
  for (let i = 0; i < 16 && incoming.length > 0 && core.waiting; i++) uart.feedByte(incoming.shift());
  if (core.waiting && incoming.length === 0) setTimeout(run, 1);
  else setImmediate(run);
}

function attach(socket) {
  socket.setNoDelay(true);
  send = (bytes) => socket.write(bytes);
  socket.on('data', (bytes) => incoming.push(...bytes));
  socket.on('error', () => {});
}

if (wire === 'terminal') {
  send = (bytes) => process.stdout.write(bytes);
  if (process.stdin.isTTY) process.stdin.setRawMode(true);
  let isAfterControlA = false;
  process.stdin.on('data', (bytes) => {
    for (const byte of bytes) {
      // As in QEMU, Ctrl-A X leaves.
      if (isAfterControlA && byte === 0x78) process.exit(0);
      isAfterControlA = byte === 1;
      if (byte !== 1) incoming.push(byte);
    }
  });
} else if (wire.startsWith('listen:')) {
  net.createServer(attach).listen(Number(wire.slice(7)), '127.0.0.1');
} else {
  const [host, port] = wire.split(':');
  const socket = net.connect(Number(port), host, () => attach(socket));
  socket.on('close', () => process.exit(0));
}
run();
