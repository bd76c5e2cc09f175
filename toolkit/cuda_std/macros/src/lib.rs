//! The `#[kernel]` attribute of `cuda_std`.
#![forbid(unsafe_code)]

mod expand;
mod generic;
mod raw;
mod signature;

use signature::{Options, Signature};
use syn::spanned::Spanned as _;
use syn::{ItemFn, parse_macro_input};

/// Makes a kernel of a function of one thread block.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// Each block reverses its own 256 elements, or as many as there are, and scales them.
/// #[kernel(threads = 64, requires(factor.is_finite()))]
/// pub fn scale(block: &mut Block, out: &mut Chunk<f32, 256>, factor: f32, tile: &mut Shared<f32, 256>) {
///     let n = out.len();
///     let view = out.view(n);
///     let tile = tile.fill(block, n, |i| view.get(i));
///     out.fill(block, n, |i| factor * tile.get(n - 1 - i));
/// }
///
/// # fn main() {
/// let mut out = [1.0, 2.0, 3.0];
/// scale::launch(&CpuExecutor::new(), 1, scale::Args { out: &mut out, factor: 0.5 }).unwrap();
/// assert_eq!(out, [1.5, 1.0, 0.5]);
/// # }
/// ```
///
/// The parameters:
///
/// | parameter | what it is | argument of the launch |
/// |---|---|---|
/// | `&mut Block`, the first | the block that runs | - |
/// | `&[T]` | a buffer that the kernel reads | a buffer to read |
/// | `&mut Segment<T>` | the block's own part of a ragged buffer | `Segments` |
/// | `&mut Chunk<T, N>` | the block's own `N` elements of a buffer | a buffer to write |
/// | `&mut Tile2d<T, ROWS, COLUMNS>` | the block's own tile of a matrix | `Matrix` |
/// | the same three with `WriteOnly` as last argument | what the kernel writes and never reads | the same |
/// | `&Atomics<T>`, `&Atomics<T, SCOPE>` | a buffer that all blocks update | a buffer to write |
/// | `&Scatter<T>` | a buffer into which all blocks write, no element twice | a buffer to write |
/// | `&mut Shared<T, N>` | a static array in shared memory | - |
/// | `&mut DynamicShared<T>`, at most one | an array in shared memory, as long as the launch says | `DynamicLength` |
/// | any other type | a value | the value |
///
/// Every type that crosses implements `DeviceLayout`. The function itself stays as it is. Beside it stands a module of
/// its name with `Args`, the launch's arguments by name, `launch`, and `Kernel`, which implements
/// `cuda_std::launch::Kernel`; on the device, a PTX entry of its name.
///
/// `threads` is the number of threads in a block, a multiple of 32 and at most 1024, as a number or a constant
/// expression. `blocks_per_sm`, which may be left
/// out, bounds the registers so that a multiprocessor holds that many blocks at a time: what `__launch_bounds__` says in
/// CUDA C++. `grid` is the number of dimensions in which blocks are counted, 1 where it is left out (2 with a
/// `Tile2d`).
///
/// `requires(n > 0, input.len() == n as usize * 3)` is a contract: expressions over the arguments that a launch checks
/// before anything runs, on every backend. A value stands for itself, a buffer for its shape (`len()`, and `segments()`,
/// `rows()` and `columns()` where it has them), and `grid` for the blocks that were asked for.
///
/// A generic kernel names its instances, each of which is a PTX entry: what its types and constants stand for, in order.
/// Its `Args`, `Kernel` and `launch` are generic as it is, and take the instances that there are:
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// Each block copies its own `N` elements, which are also its threads.
/// #[kernel(threads = N, instances(copied_64 = <64>, copied_256 = <256>))]
/// pub fn copied<const N: usize>(block: &mut Block, out: &mut Chunk<f32, N, WriteOnly>, x: &[f32]) {
///     let (n, first) = (out.len(), out.start());
///     out.fill(block, n, |i| x.at(first + i));
/// }
///
/// # fn main() {
/// let mut out = [0.0; 300];
/// copied::launch::<256, _>(&CpuExecutor::new(), 2, copied::Args { out: &mut out, x: &[1.5; 300] }).unwrap();
/// assert_eq!(out, [1.5; 300]);
/// # }
/// ```
///
/// An `unsafe fn` without a block is a raw kernel, which runs on GPUs only: its parameters are `*const T`, `*mut T`, `&[T]`
/// and values, and its `launch` is unsafe. `threads` may be left out there. See `cuda_std::compat`.
#[proc_macro_attribute]
pub fn kernel(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    if raw::is_raw(&function) {
        let options = parse_macro_input!(options as raw::Options);
        return raw::expand(&options, &function).unwrap_or_else(|error| error.into_compile_error()).into();
    }
    if let syn::Safety::Unsafe(word) = &function.sig.safety {
        let safe = "a kernel of a block is safe: write `fn`; an `unsafe fn` without a block is a raw kernel";
        return syn::Error::new(word.span(), safe).into_compile_error().into();
    }
    let options = parse_macro_input!(options as Options);
    match Signature::parse(options, &function) {
        Ok(signature) => expand::expand(&signature, &function).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

/// `shared_array![T; LEN]`: a static array in shared memory, as a generic pointer `*mut T`. One array a place in the
/// source, however often it is reached; not initialised; aligned to 16 bytes. For raw kernels; an unsafe operation.
///
/// `T` and `LEN` are looked up in the module around the function, not among the function's own items and parameters:
/// the array is declared beside the code, so that the optimiser cannot repeat the declaration.
///
/// There is an example in `cuda_std::compat::shared`.
#[proc_macro]
pub fn shared_array(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    raw::shared_array(&parse_macro_input!(input as raw::SharedArray)).into()
}
