//! Advice for errors of the driver.

/// Advice for an error of the driver: begins with `; ` or is empty.
pub(crate) fn advice(code: u32) -> &'static str {
    match code {
        34 => "; this is the toolkit's stub library: put the driver's own libcuda.so.1 first in LD_LIBRARY_PATH",
        46 => "; another process has exclusive use of the device: wait, or choose another device",
        1 => "; an argument is not valid for the driver: this is a fault of the program or of this library",
        201 | 709 => "; the device's context is gone: start the program again",
        214 | 220 => {
            "; the device's memory or its links have failed, and the context is lost: see `nvidia-smi -q`, and restart the device"
        }
        222 => "; the driver is older than the PTX: update the driver",
        300..=304 => "; see the file's path and the driver's installation",
        701 => "; the kernel uses too many registers or too much shared memory for this device: use smaller blocks",
        702 => "; a display's watchdog ended the kernel: use a device without a display, or smaller batches",
        226 | 721 => "; the context is lost and every later call fails: start the program again",
        710 => "; an assertion in a kernel failed, and the context is lost: start the program again",
        700 | 714..=719 => {
            "; the context is lost and every later call fails: start the program again (compute-sanitizer finds the access)"
        }
        802 | 803 => "; driver and library do not match: restart the machine after a driver update",
        801 => "; this device or driver cannot do that: update the driver, or choose another device",
        804 => "; the forward-compatibility library does not support this device: remove it from LD_LIBRARY_PATH",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Code;

    #[test]
    fn whoever_has_lost_the_context_is_told_so() {
        for code in (0..1000).filter(|code| Code(*code).is_of_earlier_work()) {
            let text = advice(code);
            assert!(text.contains("context is lost") || text.contains("watchdog"), "{code}: {text}");
        }
    }

    #[test]
    fn advice_continues_a_sentence() {
        for code in 0..1000 {
            let text = advice(code);
            assert!(text.is_empty() || text.starts_with("; "), "{code}: {text}");
        }
    }
}
