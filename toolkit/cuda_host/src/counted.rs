//! The length of buffers and views.

/// `len` and `is_empty` of a type: `counted!(self => self.len);` in an `impl`.
macro_rules! counted {
    ($self:ident => $len:expr) => {
        /// The number of elements.
        #[must_use]
        pub fn len(&$self) -> usize {
            $len
        }

        /// Whether there are no elements.
        #[must_use]
        pub fn is_empty(&$self) -> bool {
            $self.len() == 0
        }
    };
}
