/// A string of bounded length, built in constant evaluation.
///
/// The capacity is fixed because a generic constant cannot size an array by a type's own constant. A longer text stops the
/// build.
///
/// ```
/// use cuda_layout::Text;
///
/// // In constant evaluation, as for layouts.
/// const TEXT: Text = Text::new().push("f32").push("@").push_usize(12);
/// assert_eq!(TEXT.as_str(), "f32@12");
/// assert_eq!((TEXT.len(), TEXT.is_empty(), Text::default().is_empty()), (6, false, true));
/// assert_eq!(&TEXT.to_array::<6>(), b"f32@12");
/// ```
#[derive(Clone, Copy)]
pub struct Text {
    bytes: [u8; Text::CAPACITY],
    len: usize,
}

impl Text {
    /// The longest text, in bytes.
    pub const CAPACITY: usize = 4096;

    /// An empty text.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; Self::CAPACITY], len: 0 }
    }

    /// Appends `part`.
    ///
    /// # Panics
    /// When the text becomes longer than [`CAPACITY`](Self::CAPACITY); in constant evaluation this stops the build.
    #[must_use]
    pub const fn push(mut self, part: &str) -> Self {
        let part = part.as_bytes();
        assert!(self.len + part.len() <= Self::CAPACITY, "the description of this layout is too long");
        let mut i = 0;
        while i < part.len() {
            self.bytes[self.len + i] = part[i];
            i += 1;
        }
        self.len += part.len();
        self
    }

    /// Appends `n` in decimal.
    ///
    /// # Panics
    /// When the text becomes longer than [`CAPACITY`](Self::CAPACITY).
    #[must_use]
    pub const fn push_usize(self, n: usize) -> Self {
        const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let head = if n >= 10 { self.push_usize(n / 10) } else { self };
        head.push(DIGITS[n % 10])
    }

    /// The text.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        let (text, _) = self.bytes.split_at(self.len);
        match core::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => panic!("a text is made of strings"),
        }
    }

    /// The length in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether the text is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The text's bytes as an array of exactly `N`, for a static whose type names its length.
    ///
    /// # Panics
    /// When `N` is not [`len`](Self::len); in constant evaluation this stops the build.
    #[must_use]
    pub const fn to_array<const N: usize>(&self) -> [u8; N] {
        assert!(N == self.len, "N is the text's own length");
        let mut out = [0; N];
        let mut i = 0;
        while i < N {
            out[i] = self.bytes[i];
            i += 1;
        }
        out
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}
