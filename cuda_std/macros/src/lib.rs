//! The `#[kernel]` attribute of `cuda_std`.
#![forbid(unsafe_code)]

mod expand;
mod signature;

use signature::{Options, Signature};
use syn::{ItemFn, parse_macro_input};

/// Makes a kernel of a function of one thread block.
///
/// ```ignore
/// #[kernel(threads = 256)]
/// pub fn scale(block: &mut Block, out: &mut Segment<f32>, input: &[f32], factor: f32, tile: &mut Shared<f32, 256>) { .. }
/// ```
///
/// The parameters:
///
/// | parameter | what it is | argument of the launch |
/// |---|---|---|
/// | `&mut Block`, the first | the block that runs | - |
/// | `&[T]` | a buffer that the kernel reads | a buffer to read |
/// | `&mut Segment<T>` | the block's own part of a ragged buffer | `Segments` |
/// | `&mut Shared<T, N>` | a static array in shared memory | - |
/// | any other type | a value | the value |
///
/// Every type that crosses implements `DeviceLayout`. The function itself stays as it is. Beside it stands a module of
/// its name with `Args`, the launch's arguments by name, `launch`, and `Kernel`, which implements
/// `cuda_std::launch::Kernel`; on the device, a PTX entry of its name.
///
/// `threads` is the number of threads in a block, a multiple of 32 and at most 1024. `blocks_per_sm`, which may be left
/// out, bounds the registers so that a multiprocessor holds that many blocks at a time: what `__launch_bounds__` says in
/// CUDA C++.
#[proc_macro_attribute]
pub fn kernel(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let options = parse_macro_input!(options as Options);
    let function = parse_macro_input!(item as ItemFn);
    match Signature::parse(options, &function) {
        Ok(signature) => expand::expand(&signature, &function).into(),
        Err(error) => error.into_compile_error().into(),
    }
}
