//! A launch's arguments in the driver's form.

use crate::CudaError;
use cuda_layout::DeviceLayout;
use cuda_std::launch::{ArgVisitor, DynamicLength, Matrix, Segments, Space};
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// Size of arguments that every driver accepts.
const BYTES: usize = 4096;
/// Number of raw parameters; a slice takes two.
const PARAMETERS: usize = 64;
pub(crate) const LIMIT: &str = "4096 bytes or 64 raw parameters";

/// The raw arguments of one launch, on the stack.
pub(crate) struct RawArgs {
    bytes: Bytes,
    used: usize,
    parameters: [Parameter; PARAMETERS],
    count: usize,
    full: bool,
}

#[repr(C, align(256))]
struct Bytes([MaybeUninit<u8>; BYTES]);

/// A raw parameter: its range of the bytes, and the kernel's parameter that it belongs to.
#[derive(Clone, Copy)]
struct Parameter {
    offset: u16,
    size: u16,
    name: &'static str,
}

impl RawArgs {
    pub(crate) fn new() -> Self {
        Self {
            bytes: Bytes([MaybeUninit::uninit(); BYTES]),
            used: 0,
            parameters: [Parameter { offset: 0, size: 0, name: "" }; PARAMETERS],
            count: 0,
            full: false,
        }
    }

    /// Appends a value at its alignment: a kernel's parameters have the layout of a C struct.
    pub(crate) fn push<T: bytemuck::Pod>(&mut self, name: &'static str, value: &T) {
        let (size, align) = (size_of::<T>(), align_of::<T>());
        // The compiler omits parameters of size zero.
        if size == 0 {
            return;
        }
        let offset = self.used.next_multiple_of(align);
        if align > align_of::<Bytes>() || offset + size > BYTES || self.count == PARAMETERS {
            self.full = true;
            return;
        }
        for (to, from) in self.bytes.0[offset..offset + size].iter_mut().zip(bytemuck::bytes_of(value)) {
            to.write(*from);
        }
        self.parameters[self.count] = Parameter { offset: offset as u16, size: size as u16, name };
        self.count += 1;
        self.used = offset + size;
    }

    /// Address and length of a written buffer; one with more elements was refused before.
    fn push_output<S: Addresses, T: DeviceLayout>(&mut self, name: &'static str, buffer: &S::Mut<'_, T>) {
        self.push(name, &S::address_mut(buffer));
        self.push(name, &(S::len_mut(buffer) as u32));
    }

    /// An error if something did not fit.
    pub(crate) fn check_room(&self, kernel: &'static str) -> Result<(), CudaError> {
        if self.full { Err(CudaError::TooManyArguments { kernel, limit: LIMIT }) } else { Ok(()) }
    }

    /// Compares with the driver's data about the kernel: offset and size of each raw parameter.
    pub(crate) fn check_parameters(&self, kernel: &'static str, device: &[(usize, usize)]) -> Result<(), CudaError> {
        let text = |size: usize, offset: usize| format!("{size} at {offset}");
        for index in 0..self.count.max(device.len()) {
            let host = self.parameters[..self.count].get(index);
            let host_place = host.map(|host| (usize::from(host.offset), usize::from(host.size)));
            let device_place = device.get(index).copied();
            if host_place != device_place {
                let describe = |field: Option<(usize, usize)>| {
                    field.map_or_else(|| "missing".to_owned(), |(offset, size)| text(size, offset))
                };
                return Err(CudaError::Parameters {
                    kernel,
                    index,
                    argument: host.map_or("none", |host| host.name),
                    host: describe(host_place),
                    device: describe(device_place),
                });
            }
        }
        Ok(())
    }

    /// Calls `launch` with the addresses of the arguments.
    pub(crate) fn with_pointers<R>(&mut self, launch: impl FnOnce(*mut *mut c_void) -> R) -> R {
        let base = self.bytes.0.as_mut_ptr();
        let mut pointers = [std::ptr::null_mut(); PARAMETERS];
        for (pointer, parameter) in pointers.iter_mut().zip(&self.parameters[..self.count]) {
            *pointer = base.wrapping_add(usize::from(parameter.offset)).cast::<c_void>();
        }
        launch(pointers.as_mut_ptr())
    }
}

/// A space whose memories have device addresses.
pub(crate) trait Addresses: Space {
    fn address<T: DeviceLayout>(buffer: &Self::Ref<'_, T>) -> u64;
    fn address_mut<T: DeviceLayout>(buffer: &Self::Mut<'_, T>) -> u64;
    fn offsets_address(offsets: &Self::Offsets<'_>) -> u64;
}

/// Writes the arguments as the entry's raw parameters: a slice as address and length, segments as the addresses of data and
/// offsets, other outputs as address and 32-bit length, a matrix as address, rows and columns, and values as
/// they are.
impl<'v, S: Addresses> ArgVisitor<'v, S> for RawArgs {
    fn slice<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Ref<'_, T>) {
        self.push(name, &S::address(buffer));
        self.push(name, &(S::len(buffer) as u64));
    }

    fn segments<T: DeviceLayout>(&mut self, name: &'static str, segments: &'v Segments<'_, S, T>) {
        self.push(name, &S::address_mut(&segments.data));
        self.push(name, &S::offsets_address(&segments.offsets));
    }

    fn chunks<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Mut<'_, T>, _: usize) {
        self.push_output::<S, T>(name, buffer);
    }

    fn matrix<T: DeviceLayout>(&mut self, name: &'static str, matrix: &'v Matrix<'_, S, T>, _: [usize; 2]) {
        let rows = S::len_mut(&matrix.data).checked_div(matrix.columns as usize).unwrap_or(0);
        self.push(name, &S::address_mut(&matrix.data));
        self.push(name, &(rows as u32));
        self.push(name, &matrix.columns);
    }

    fn atomics<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Mut<'_, T>) {
        self.push_output::<S, T>(name, buffer);
    }

    fn dynamic_shared<T: DeviceLayout>(&mut self, name: &'static str, DynamicLength(length): DynamicLength) {
        self.push(name, &length);
    }

    fn value<T: DeviceLayout>(&mut self, name: &'static str, value: &'v T) {
        self.push(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device whose buffers are numbers.
    enum Fake {}

    #[derive(Clone, Copy)]
    struct Buffer {
        address: u64,
        len: usize,
    }

    impl Space for Fake {
        type Ref<'a, T: DeviceLayout> = Buffer;
        type Mut<'a, T: DeviceLayout> = Buffer;
        type Offsets<'a> = Buffer;
        fn len<T: DeviceLayout>(buffer: &Buffer) -> usize {
            buffer.len
        }
        fn len_mut<T: DeviceLayout>(buffer: &Buffer) -> usize {
            buffer.len
        }
        fn extent(offsets: &Buffer) -> (usize, u32) {
            (offsets.len, 0)
        }
        fn shorter<'short, 'long: 'short, T: DeviceLayout>(buffer: Buffer) -> Buffer {
            buffer
        }
    }

    impl Addresses for Fake {
        fn address<T: DeviceLayout>(buffer: &Buffer) -> u64 {
            buffer.address
        }
        fn address_mut<T: DeviceLayout>(buffer: &Buffer) -> u64 {
            buffer.address
        }
        fn offsets_address(offsets: &Buffer) -> u64 {
            offsets.address
        }
    }

    #[derive(Clone, Copy, cuda_layout::DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
    #[repr(C, align(16))]
    struct Wide {
        x: [f32; 4],
    }

    #[derive(Clone, Copy, cuda_layout::DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
    #[repr(C)]
    struct Nothing {
        none: [u32; 0],
    }

    fn visit<T: DeviceLayout>(args: &mut RawArgs, name: &'static str, value: T) {
        <RawArgs as ArgVisitor<'_, Fake>>::value(args, name, &value);
    }

    /// The bytes that the driver would copy for each raw parameter.
    fn read(args: &mut RawArgs, sizes: &[usize]) -> Vec<Vec<u8>> {
        assert_eq!(args.count, sizes.len());
        args.with_pointers(|pointers| {
            let copy = |(i, size): (usize, &usize)| {
                // SAFETY: there is a pointer per parameter, to as many bytes as were pushed for it.
                unsafe { std::slice::from_raw_parts((*pointers.add(i)).cast::<u8>(), *size).to_vec() }
            };
            sizes.iter().enumerate().map(copy).collect()
        })
    }

    #[test]
    fn arguments_become_the_raw_parameters_of_the_entry() {
        let mut args = RawArgs::new();
        let (a, b, offsets) = (0x1000, 0x2000, 0x3000);
        let segments =
            Segments::<Fake, f32> { data: Buffer { address: a, len: 9 }, offsets: Buffer { address: offsets, len: 2 } };
        ArgVisitor::<Fake>::segments(&mut args, "out", &segments);
        ArgVisitor::<Fake>::slice::<u32>(&mut args, "input", &Buffer { address: b, len: 7 });
        ArgVisitor::<Fake>::chunks::<u32>(&mut args, "chunks", &Buffer { address: a, len: 11 }, 4);
        let matrix = Matrix::<Fake, f32> { data: Buffer { address: b, len: 12 }, columns: 4 };
        ArgVisitor::<Fake>::matrix(&mut args, "matrix", &matrix, [2, 2]);
        ArgVisitor::<Fake>::atomics::<u32>(&mut args, "counts", &Buffer { address: a, len: 13 });
        ArgVisitor::<Fake>::dynamic_shared::<u64>(&mut args, "scratch", DynamicLength(14));
        visit(&mut args, "flag", 3u8);
        visit(&mut args, "nothing", Nothing { none: [] });
        visit(&mut args, "wide", Wide { x: [1.0, 2.0, 3.0, 4.0] });
        visit(&mut args, "count", 5u32);
        args.check_room("k").unwrap();
        let expected: Vec<Vec<u8>> = vec![
            a.to_le_bytes().into(),
            offsets.to_le_bytes().into(),
            b.to_le_bytes().into(),
            7u64.to_le_bytes().into(),
            a.to_le_bytes().into(),
            11u32.to_le_bytes().into(),
            b.to_le_bytes().into(),
            3u32.to_le_bytes().into(),
            4u32.to_le_bytes().into(),
            a.to_le_bytes().into(),
            13u32.to_le_bytes().into(),
            14u32.to_le_bytes().into(),
            vec![3],
            bytemuck::bytes_of(&[1.0f32, 2.0, 3.0, 4.0]).into(),
            5u32.to_le_bytes().into(),
        ];
        assert_eq!(read(&mut args, &[8, 8, 8, 8, 8, 4, 8, 4, 4, 8, 4, 4, 1, 16, 4]), expected);
        let places = [
            (0, 8),
            (8, 8),
            (16, 8),
            (24, 8),
            (32, 8),
            (40, 4),
            (48, 8),
            (56, 4),
            (60, 4),
            (64, 8),
            (72, 4),
            (76, 4),
            (80, 1),
            (96, 16),
            (112, 4),
        ];
        args.check_parameters("k", &places).unwrap();
    }

    #[test]
    fn other_parameters_of_the_entry_are_refused() {
        let mut args = RawArgs::new();
        visit(&mut args, "a", 1u32);
        visit(&mut args, "b", 1u64);
        let message = |device: &[(usize, usize)]| args.check_parameters("k", device).unwrap_err().to_string();
        let text = message(&[(0, 4), (4, 4)]);
        assert!(text.contains("`k`: parameter 1 (`b`) is 8 at 8 here and 4 at 4 in the PTX"), "{text}");
        assert!(message(&[(0, 4)]).contains("8 at 8 here and missing in the PTX"));
        assert!(message(&[(0, 4), (8, 8), (16, 4)]).contains("parameter 2 (`none`) is missing here and 4 at 16"));
    }

    #[test]
    fn more_than_a_launch_has_room_for_is_an_error() {
        let mut bytes = RawArgs::new();
        visit(&mut bytes, "large", [0u64; 512]);
        bytes.check_room("k").unwrap();
        visit(&mut bytes, "more", 0u8);
        assert!(bytes.check_room("k").unwrap_err().to_string().contains("4096 bytes"));

        let mut parameters = RawArgs::new();
        for _ in 0..64 {
            visit(&mut parameters, "x", 0u8);
        }
        parameters.check_room("k").unwrap();
        visit(&mut parameters, "y", 0u8);
        assert!(matches!(parameters.check_room("k"), Err(CudaError::TooManyArguments { kernel: "k", .. })));
    }
}
