//! What is computed of a structure when it is first asked for.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// Values that are computed of a structure when they are first asked for: one of each type, which every thread then shares. A clone has
/// none, because its atoms may become others.
///
/// ```
/// use prism_read::structure::Derived;
///
/// let derived = Derived::default();
/// assert_eq!(derived.get_or_init(|| vec![1.5_f32]), &[1.5]);
/// assert_eq!(derived.get_or_init(|| "another type"), &"another type");
/// assert_eq!(derived.get_or_init(|| vec![2.5_f32]), &[1.5]);
/// assert_eq!(derived.clone().get_or_init(|| vec![2.5_f32]), &[2.5]);
/// ```
#[derive(Default)]
pub struct Derived(OnceLock<Box<Node>>);

/// A value, and those of other types.
struct Node {
    value: Box<dyn Any + Send + Sync>,
    next: Derived,
}

impl Derived {
    /// The value of a type. Where there is none, `make` computes it, while others who ask wait; it must not wait for other threads itself.
    pub fn get_or_init<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T {
        let mut make = Some(make);
        let mut own = self;
        loop {
            let node = own.0.get_or_init(|| {
                let value = make.take().map(|make| make());
                // A node that is made here ends the search.
                Box::new(Node { value: Box::new(value.expect("it is made once")), next: Self::default() })
            });
            match node.value.downcast_ref() {
                Some(value) => return value,
                None => own = &node.next,
            }
        }
    }
}

impl Clone for Derived {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}
