//! Text from kernels. While a kernel is compiled, its formats are translated to those of the device's own function.

use crate::platform::printer;
use crate::{Block, bf16, f16};

/// The bytes of a translated format, including the zero at its end.
const FORMAT_BYTES: usize = 256;

/// The largest number of values in a line.
const MOST_VALUES: usize = 12;

/// Prints a line from a kernel, to the program's standard output.
///
/// `{}` stands for a value: an integer of up to 64 bits, or a float. The compiler checks the number and the types of the values. A
/// kernel that prints nothing has no cost.
///
/// - In a phase's closure, every thread that reaches the call prints.
/// - Between phases, name the block first: then it prints once.
///
/// Floats have as many digits as identify them (9 for an `f32`, 17 for an `f64`). The text is the same on CPU cores and on a GPU. The
/// order of lines is unspecified. A GPU keeps the last megabyte of text, and prints it when the host synchronises. Older text is lost
/// without a report.
///
/// ```
/// use cuda_std::prelude::*;
///
/// #[kernel(threads = 32)]
/// pub fn roots(block: &mut Block, out: &mut Chunk<f32, 32>, x: &[f32]) {
///     gpu_print!(block, "block {} has {} elements", block.index(), out.len());
///     let n = out.len();
///     out.fill(block, n, |i| {
///         let root = math::sqrt(x.at(i));
///         if i == 3 {
///             gpu_print!("i = {} root = {}", i, root);
///         }
///         root
///     });
/// }
/// # fn main() {
/// // block 0 has 4 elements
/// // i = 3 root = 1.41421354
/// roots::launch(&CpuExecutor::new(), 1, roots::Args { out: &mut [0.0; 4], x: &[1.0, 4.0, 9.0, 2.0] }).unwrap();
/// # }
/// ```
///
/// Values that do not match the format are a compile error:
///
/// ```compile_fail
/// # use cuda_std::gpu_print;
/// fn too_few(x: u32) { gpu_print!("{} and {}", x); }
/// ```
/// ```compile_fail,E0277
/// # use cuda_std::gpu_print;
/// fn not_a_number(x: &str) { gpu_print!("{}", x); }
/// ```
/// ```compile_fail
/// # use cuda_std::gpu_print;
/// fn other_forms(x: u32) { gpu_print!("{x:?}"); }
/// ```
///
/// Other crates cannot define how a type is printed:
///
/// ```compile_fail,E0277
/// struct Mine;
/// impl cuda_std::Printed for Mine {
///     const CONVERSION: &'static str = "%s";
///     type Word = u64;
///     fn word(&self) -> u64 {
///         0
///     }
/// }
/// ```
#[macro_export]
macro_rules! gpu_print {
    ($format:literal $(, $value:expr)* $(,)?) => {
        $crate::gpu_print!(@ print, [], $format, $($value),*)
    };
    ($block:expr, $format:literal $(, $value:expr)* $(,)?) => {
        $crate::gpu_print!(@ print_once, [&$block,], $format, $($value),*)
    };
    (@ $print:ident, [$($block:tt)*], $format:literal, $($value:expr),*) => {{
        enum __CudaStdLine {}
        impl $crate::__private::Format for __CudaStdLine {
            const TEXT: &'static str = $format;
        }
        const _: () = {
            const VALUES: &[&str] = &[$(::core::stringify!($value)),*];
            $crate::__private::check_format($format, VALUES.len());
        };
        $crate::__private::$print::<__CudaStdLine, _>($($block)* ($(&$value,)*))
    }};
}

mod sealed {
    pub trait Sealed {}
}

/// A value that [`gpu_print!`](crate::gpu_print) takes: an integer of up to 64 bits, a float, or a reference to one.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot print a `{Self}`",
    note = "it prints integers of up to 64 bits and floats: print a structure's fields one by one, a `bool` as `u32::from(b)`"
)]
pub trait Printed: sealed::Sealed {
    /// Its conversion in the device's format.
    #[doc(hidden)]
    const CONVERSION: &'static str;
    /// The type that the device's function reads.
    #[doc(hidden)]
    type Word;
    #[doc(hidden)]
    fn word(&self) -> Self::Word;
}

macro_rules! printed {
    ($($conversion:literal as $word:ty: $($ty:ty)*, |$value:ident| $as_word:expr;)*) => { $($(
        impl sealed::Sealed for $ty {}
        impl Printed for $ty {
            const CONVERSION: &'static str = $conversion;
            type Word = $word;
            #[inline(always)]
            fn word(&self) -> $word {
                let $value = *self;
                $as_word
            }
        }
    )*)* };
}

printed! {
    "%d" as i32: i8 i16, |x| x.into();
    "%d" as i32: i32, |x| x;
    "%u" as u32: u8 u16, |x| x.into();
    "%u" as u32: u32, |x| x;
    "%lld" as i64: i64, |x| x;
    "%llu" as u64: u64, |x| x;
    "%lld" as i64: isize, |x| x as i64;
    "%llu" as u64: usize, |x| x as u64;
    "%.9g" as f64: f32, |x| x.into();
    "%.9g" as f64: f16 bf16, |x| x.to_f32().into();
    "%.17g" as f64: f64, |x| x;
}

impl<T: Printed + ?Sized> sealed::Sealed for &T {}
impl<T: Printed + ?Sized> Printed for &T {
    const CONVERSION: &'static str = T::CONVERSION;
    type Word = T::Word;
    #[inline(always)]
    fn word(&self) -> T::Word {
        T::word(self)
    }
}

impl<T: Printed + ?Sized> sealed::Sealed for &mut T {}
impl<T: Printed + ?Sized> Printed for &mut T {
    const CONVERSION: &'static str = T::CONVERSION;
    type Word = T::Word;
    #[inline(always)]
    fn word(&self) -> T::Word {
        T::word(self)
    }
}

/// The format of one `gpu_print!`. The macro writes the implementation.
pub trait Format {
    /// The text in the source.
    const TEXT: &'static str;
}

/// The values of one `gpu_print!`: a tuple of references. Other crates cannot implement it, because the device's function trusts
/// the conversions.
pub trait Values: sealed::Sealed {
    /// The conversion of each in the device's format.
    const CONVERSIONS: &'static [&'static str];
    /// The values as the device's function reads them: one after another, each aligned to its size.
    type Packed: printer::Packed;
    /// Converts the values.
    fn packed(&self) -> Self::Packed;
}

macro_rules! values {
    ($($packed:ident: $($id:ident)*;)*) => { $(
        #[doc(hidden)]
        #[repr(C)]
        pub struct $packed<$($id),*>($($id),*);

        #[cfg(target_arch = "nvptx64")]
        impl<$($id),*> printer::Packed for $packed<$($id),*> {}

        #[cfg(not(target_arch = "nvptx64"))]
        impl<$($id: printer::Word),*> printer::Packed for $packed<$($id),*> {
            #[allow(non_snake_case)]
            fn words(&self) -> Vec<&dyn printer::Word> {
                let Self($($id),*) = self;
                vec![$($id as &dyn printer::Word),*]
            }
        }

        impl<$($id: Printed),*> sealed::Sealed for ($(&$id,)*) {}
        impl<$($id: Printed),*> Values for ($(&$id,)*)
        where
            $($id::Word: printer::Word),*
        {
            const CONVERSIONS: &'static [&'static str] = &[$($id::CONVERSION),*];
            type Packed = $packed<$($id::Word),*>;
            #[inline(always)]
            #[allow(non_snake_case)]
            fn packed(&self) -> Self::Packed {
                let ($($id,)*) = self;
                $packed($($id.word()),*)
            }
        }
    )* };
}

values! {
    Packed0: ;
    Packed1: A;
    Packed2: A B;
    Packed3: A B C;
    Packed4: A B C D;
    Packed5: A B C D E;
    Packed6: A B C D E F;
    Packed7: A B C D E F G;
    Packed8: A B C D E F G H;
    Packed9: A B C D E F G H I;
    Packed10: A B C D E F G H I J;
    Packed11: A B C D E F G H I J K;
    Packed12: A B C D E F G H I J K L;
}

/// Prints from the thread that calls it.
#[inline(always)]
pub fn print<F: Format, V: Values>(values: V) {
    printer::print(const { &lowered(F::TEXT, V::CONVERSIONS) }, &values.packed());
}

/// Prints once, from code that is the same for all threads of the block.
#[inline(always)]
pub fn print_once<F: Format, V: Values>(_block: &Block, values: V) {
    // Code between phases must not learn which thread prints, so the choice stays in this function.
    if printer::speaks_for_the_block() {
        print::<F, V>(values);
    }
}

/// Stops the build if the number of values does not match the format.
///
/// # Panics
/// If it does not match. In constant evaluation this is a compile error.
pub const fn check_format(text: &str, values: usize) {
    assert!(values <= MOST_VALUES, "gpu_print! takes at most 12 values");
    let _ = lowered(text, [""; MOST_VALUES].split_at(values).0);
}

/// The device's format: `%` is doubled, `{}` is replaced, and the end of the line and of the text are appended.
const fn lowered(text: &str, conversions: &[&str]) -> [u8; FORMAT_BYTES] {
    let (text, mut lowered) = (text.as_bytes(), Lowered { bytes: [0; FORMAT_BYTES], len: 0 });
    let (mut i, mut values) = (0, 0);
    while i < text.len() {
        let next = if i + 1 < text.len() { text[i + 1] } else { 0 };
        match (text[i], next) {
            (b'{', b'{') | (b'}', b'}') => {
                lowered.push(text[i]);
                i += 2;
            }
            (b'{', b'}') => {
                assert!(
                    values < conversions.len(),
                    "gpu_print!: the format has more pairs of braces than there are values"
                );
                lowered.push_all(conversions[values].as_bytes());
                (values, i) = (values + 1, i + 2);
            }
            (b'{' | b'}', _) => panic!(
                "gpu_print!: a pair of braces in a format is empty, and stands for a value; write a brace twice to print it"
            ),
            (0, _) => panic!("gpu_print!: the format has a zero byte"),
            (b'%', _) => {
                lowered.push_all(b"%%");
                i += 1;
            }
            (byte, _) => {
                lowered.push(byte);
                i += 1;
            }
        }
    }
    assert!(values == conversions.len(), "gpu_print!: there are more values than pairs of braces in the format");
    lowered.push(b'\n');
    lowered.bytes
}

struct Lowered {
    bytes: [u8; FORMAT_BYTES],
    len: usize,
}

impl Lowered {
    const fn push(&mut self, byte: u8) {
        // The end takes one byte.
        assert!(self.len + 1 < FORMAT_BYTES, "gpu_print!: the format is longer than 200 bytes or so");
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    const fn push_all(&mut self, bytes: &[u8]) {
        let mut i = 0;
        while i < bytes.len() {
            self.push(bytes[i]);
            i += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(format: &[u8; FORMAT_BYTES]) -> &str {
        let end = format.iter().position(|byte| *byte == 0).unwrap();
        std::str::from_utf8(&format[..end]).unwrap()
    }

    #[test]
    fn formats_are_those_of_the_device() {
        let conversions = <(&u8, &i64, &f32) as Values>::CONVERSIONS;
        assert_eq!(text(&lowered("{} {}% {{x}} {}", conversions)), "%u %lld%% {x} %.9g\n");
        assert_eq!(text(&lowered("é", &[])), "é\n");
    }

    #[test]
    fn values_lie_where_the_device_reads_them() {
        let packed = (&1u8, &2i16, &3u64, &4u32, &0.5f32).packed();
        let address = |x: *const u8| x as usize - &raw const packed as usize;
        let at = [
            address((&raw const packed.0).cast()),
            address((&raw const packed.1).cast()),
            address((&raw const packed.2).cast()),
            address((&raw const packed.3).cast()),
            address((&raw const packed.4).cast()),
        ];
        assert_eq!(at, [0, 4, 8, 16, 24]);
    }

    #[test]
    fn what_does_not_fit_stops_the_build() {
        let stops = |format: &'static str, values| std::panic::catch_unwind(|| check_format(format, values)).is_err();
        assert!(!stops("{} {}", 2) && !stops("", 0) && !stops("{{}}", 0));
        for (format, values) in [("{}", 0), ("{}", 2), ("{x}", 1), ("{:?}", 1), ("}", 0), ("{", 0), ("a\0b", 0)] {
            assert!(stops(format, values), "{format}");
        }
        assert!(stops("{}{}{}{}{}{}{}{}{}{}{}{}{}", 13));
        assert!(stops(Box::leak("x".repeat(300).into_boxed_str()), 0));
    }
}
