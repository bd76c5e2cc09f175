//! A stream of bits, the highest of a byte first.

pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// The next bit.
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Whether more bits were taken than there are. Those beyond the end are 0.
    pub(super) fn is_past_end(&self) -> bool {
        self.at > 8 * self.bytes.len()
    }

    /// The next bits, up to 57, as a number.
    #[inline]
    pub(super) fn take(&mut self, bits: u32) -> u64 {
        let byte = self.at / 8;
        let word = match self.bytes.get(byte..byte + 8) {
            Some(eight) => u64::from_be_bytes(eight.try_into().unwrap_or_default()),
            None => self.last_word(byte),
        };
        let within = (self.at % 8) as u32;
        self.at += bits as usize;
        match bits {
            0 => 0,
            _ => (word << within) >> (64 - bits),
        }
    }

    #[cold]
    fn last_word(&self, byte: usize) -> u64 {
        let mut word = [0; 8];
        let rest = self.bytes.get(byte..).unwrap_or_default();
        word[..rest.len()].copy_from_slice(rest);
        u64::from_be_bytes(word)
    }

    /// The next bits, up to 57, as a number whose lowest byte comes first.
    #[inline]
    pub(super) fn take_low_first(&mut self, bits: u32) -> u64 {
        let word = self.take(bits);
        let (whole, rest) = (bits / 8 * 8, bits % 8);
        let high = word & ((1 << rest) - 1);
        match whole {
            0 => high,
            _ => ((word >> rest).swap_bytes() >> (64 - whole)) | high << whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_highest_first_and_end_in_zeros() {
        let mut bits = Bits::new(&[0b1010_0101, 0xff]);
        assert_eq!([bits.take(1), bits.take(3), bits.take(0), bits.take(4)], [1, 0b010, 0, 0b0101]);
        assert_eq!(bits.take(8), 0xff);
        assert!(!bits.is_past_end());
        assert_eq!(bits.take(57), 0);
        assert!(bits.is_past_end());
    }

    #[test]
    fn a_number_has_its_lowest_byte_first_and_its_last_bits_highest() {
        // 0x3_02_01 in 18 bits: the bytes 0x01 and 0x02, then 3 in two bits.
        let bytes = [0x01, 0x02, 0b1100_0000];
        assert_eq!(Bits::new(&bytes).take_low_first(18), 0x3_02_01);
        assert_eq!(Bits::new(&[0b1011_0000]).take_low_first(4), 0b1011);
    }
}
