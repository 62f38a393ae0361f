//! The table of interrupts of a board whose chip has no crate with one.

/// `interrupt_table!(Received = 5 => handler, 18 => other)`: the type `Received` stands for interrupt 5, whose
/// handler is a `extern "C" fn()`; one other may be there.
#[macro_export]
macro_rules! interrupt_table {
    ($name:ident = $number:literal => $handler:path $(, $other:literal => $other_handler:path)?) => {
        /// The interrupt of received bytes.
        #[derive(Clone, Copy)]
        pub struct $name;

        // SAFETY: it is the number of the interrupt at this chip, and always the same.
        #[allow(unsafe_code)]
        unsafe impl $crate::cortex_m::interrupt::InterruptNumber for $name {
            fn number(self) -> u16 {
                $number
            }
        }

        // SAFETY: cortex-m-rt defines it.
        #[allow(unsafe_code)]
        unsafe extern "C" {
            fn DefaultHandler();
        }

        // SAFETY: cortex-m-rt's linker script puts this section behind the vectors of the exceptions, where the
        // core looks for number 0.
        #[allow(unsafe_code)]
        #[unsafe(link_section = ".vector_table.interrupts")]
        #[unsafe(no_mangle)]
        static __INTERRUPTS: [unsafe extern "C" fn(); INTERRUPTS] = {
            let mut table: [unsafe extern "C" fn(); INTERRUPTS] = [DefaultHandler; INTERRUPTS];
            table[$number] = $handler;
            $(table[$other] = $other_handler;)?
            table
        };
        const INTERRUPTS: usize = {
            let count = $number + 1;
            $(let count = if $other < count { count } else { $other + 1 };)?
            count
        };
    };
}
