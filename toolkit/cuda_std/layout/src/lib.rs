//! The memory layout of types that cross between host and device, as text.
//!
//! A type that is passed to a kernel is compiled twice, once for each side. [`DeviceLayout`] turns the compiler's decisions
//! about it (name, fields, types, offsets, size, alignment) into one line of text at compile time. The PTX contains the
//! device's line. The host compares it with its own when it loads the module, and refuses PTX built from another version of
//! a struct.
//!
//! ```
//! use cuda_layout::DeviceLayout;
//!
//! #[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
//! #[repr(C)]
//! struct Ray {
//!     origin: [f32; 3],
//!     t: f32,
//! }
//!
//! assert_eq!(Ray::DESCRIPTION, "Ray{origin:[f32;3]@0,t:f32@12}16:4");
//! ```
#![no_std]
#![deny(unsafe_code)]

mod text;

pub use cuda_layout_derive::DeviceLayout;
pub use text::Text;

/// A plain-old-data type whose layout is the same on both sides.
///
/// Derive it for `#[repr(C)]` structs; the derive takes the offsets from the compiler.
///
/// # Safety
/// [`TEXT`](Self::TEXT) identifies this type's layout: a launch relies on it when it passes memory to a kernel compiled by
/// another compiler. (The derive asks the compiler; a manual implementation must be correct.)
///
/// ```
/// use cuda_layout::DeviceLayout;
///
/// assert_eq!(<[[f32; 3]; 8]>::DESCRIPTION, "[[f32;3];8]");
/// assert_eq!(u64::TEXT.as_str(), u64::DESCRIPTION);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not cross between host and device",
    label = "has no layout that both sides agree on",
    note = "numbers of a fixed size do, arrays of what does, and structs with \
            `#[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)] #[repr(C)]`"
)]
#[allow(unsafe_code)]
pub unsafe trait DeviceLayout: bytemuck::Pod + Send + Sync {
    /// The layout as text, from the compiler of this side.
    const TEXT: &'static Text;
    /// [`TEXT`](Self::TEXT) as a string: `Name{field:type@offset,..}size:align`, or a primitive's name.
    const DESCRIPTION: &'static str = Self::TEXT.as_str();
}

macro_rules! primitive {
    ($($name:ident)*) => {$(
        // SAFETY: both sides know the type by this name.
        #[allow(unsafe_code)]
        unsafe impl DeviceLayout for $name {
            const TEXT: &'static Text = &Text::new().push(stringify!($name));
        }
    )*};
}

primitive!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

// SAFETY: an array consists of its elements, one after another.
#[allow(unsafe_code)]
unsafe impl<T: DeviceLayout, const N: usize> DeviceLayout for [T; N]
where
    [T; N]: bytemuck::Pod,
{
    const TEXT: &'static Text = &Text::new().push("[").push(T::TEXT.as_str()).push(";").push_usize(N).push("]");
}
