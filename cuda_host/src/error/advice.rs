//! What helps against errors of the driver.

/// What helps against an error of the driver: begins with `; ` or is empty.
pub(crate) fn advice(code: u32) -> &'static str {
    match code {
        34 => "; this is the toolkit's stub library: put the driver's own libcuda.so.1 first in LD_LIBRARY_PATH",
        46 => "; another process has the device for itself: wait, or choose another device",
        201 | 709 => "; the device's context is gone: start the program again",
        222 => "; the driver is older than the PTX: update the driver",
        300..=304 => "; see the file's path and the driver's installation",
        701 => "; the kernel takes too many registers or too much shared memory for this device: use smaller blocks",
        702 => "; a display's watchdog ended the kernel: use a device without a display, or smaller batches",
        700 | 714..=719 => {
            "; the context is lost and every later call fails: start the program again (compute-sanitizer finds the access)"
        }
        802 | 803 => "; driver and library do not match: restart the machine after a driver update",
        804 => "; the forward-compatibility library does not support this device: remove it from LD_LIBRARY_PATH",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_continues_a_sentence() {
        for code in 0..1000 {
            let text = advice(code);
            assert!(text.is_empty() || text.starts_with("; "), "{code}: {text}");
        }
    }
}
