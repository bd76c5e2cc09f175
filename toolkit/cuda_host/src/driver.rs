//! The driver's functions, found at run time.
//!
//! cudarc loads the library and names the types. Its functions are not called: they panic when the library
//! lacks a symbol, and return an enum that has no value for the errors of later drivers.

use crate::CudaError;
use crate::error::advice;
use cudarc::driver::sys;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::ptr;
use std::sync::OnceLock;

pub(crate) use sys::{
    CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction, CUfunction_attribute, CUgraph,
    CUgraphExec, CUgraphNode, CUjit_option, CUmodule, CUstream, CUstreamCaptureMode,
};

/// The driver's result.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) u32);

type ParamInfo = unsafe extern "C" fn(CUfunction, usize, *mut usize, *mut usize) -> u32;
type HostRegister = unsafe extern "C" fn(*mut c_void, usize, c_uint) -> u32;
type HostUnregister = unsafe extern "C" fn(*mut c_void) -> u32;

macro_rules! driver_functions {
    ($($name:ident = $symbol:literal ($($argument:ident: $type:ty),*);)*) => {
        /// The functions of the driver's library.
        pub(crate) struct Driver {
            $($name: unsafe extern "C" fn($($type),*) -> u32,)*
            /// Since CUDA 12.4.
            func_get_param_info: Option<ParamInfo>,
            /// Stand-ins for the driver may lack them.
            mem_host_register: Option<(HostRegister, HostUnregister)>,
        }

        impl Driver {
            fn load() -> Result<Self, CudaError> {
                if cfg!(target_os = "linux") {
                    // cudarc looks for `libcuda.so` first. cuda-gdb sees kernels only if the library was loaded by this name.
                    // SAFETY: NVIDIA's driver library has no initialisers with requirements on the program.
                    let library = unsafe { libloading::Library::new("libcuda.so.1") };
                    // It stays loaded, as cudarc's does.
                    if let Ok(library) = library {
                        std::mem::forget(library);
                    }
                }
                // SAFETY: opens a system library by name.
                if !unsafe { sys::is_culib_present() } {
                    return Err(CudaError::NoLibrary);
                }
                // SAFETY: it is present; the driver's symbols have the types in its manual.
                unsafe {
                    let library = sys::culib();
                    Ok(Self {
                        $($name: *library
                            .get(concat!($symbol, "\0").as_bytes())
                            .map_err(|_| CudaError::DriverTooOld { symbol: $symbol })?,)*
                        func_get_param_info: library.get(b"cuFuncGetParamInfo\0").ok().map(|symbol| *symbol),
                        mem_host_register: library
                            .get(b"cuMemHostRegister_v2\0")
                            .and_then(|register| Ok((*register, *library.get(b"cuMemHostUnregister\0")?)))
                            .ok(),
                    })
                }
            }

            $(
                #[allow(clippy::too_many_arguments)]
                #[doc = $symbol]
                ///
                /// # Safety
                /// As the driver's manual says.
                pub(crate) unsafe fn $name(&self, $($argument: $type),*) -> Code {
                    // SAFETY: ensured by the caller.
                    Code(unsafe { (self.$name)($($argument),*) })
                }
            )*
        }
    };
}

driver_functions! {
    init = "cuInit" (flags: c_uint);
    driver_get_version = "cuDriverGetVersion" (version: *mut c_int);
    get_error_name = "cuGetErrorName" (error: u32, name: *mut *const c_char);
    get_error_string = "cuGetErrorString" (error: u32, text: *mut *const c_char);
    device_get = "cuDeviceGet" (device: *mut CUdevice, ordinal: c_int);
    device_get_count = "cuDeviceGetCount" (count: *mut c_int);
    device_get_name = "cuDeviceGetName" (name: *mut c_char, len: c_int, device: CUdevice);
    device_get_attribute = "cuDeviceGetAttribute" (value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    device_get_pci_bus_id = "cuDeviceGetPCIBusId" (id: *mut c_char, len: c_int, device: CUdevice);
    device_can_access_peer = "cuDeviceCanAccessPeer" (can: *mut c_int, device: CUdevice, peer: CUdevice);
    device_total_mem = "cuDeviceTotalMem_v2" (bytes: *mut usize, device: CUdevice);
    primary_ctx_retain = "cuDevicePrimaryCtxRetain" (context: *mut CUcontext, device: CUdevice);
    primary_ctx_release = "cuDevicePrimaryCtxRelease_v2" (device: CUdevice);
    ctx_set_current = "cuCtxSetCurrent" (context: CUcontext);
    ctx_get_current = "cuCtxGetCurrent" (context: *mut CUcontext);
    ctx_synchronize = "cuCtxSynchronize" ();
    ctx_enable_peer_access = "cuCtxEnablePeerAccess" (peer: CUcontext, flags: c_uint);
    mem_get_info = "cuMemGetInfo_v2" (free: *mut usize, total: *mut usize);
    mem_alloc = "cuMemAlloc_v2" (address: *mut CUdeviceptr, bytes: usize);
    mem_alloc_managed = "cuMemAllocManaged" (address: *mut CUdeviceptr, bytes: usize, flags: c_uint);
    mem_free = "cuMemFree_v2" (address: CUdeviceptr);
    mem_host_alloc = "cuMemHostAlloc" (pointer: *mut *mut c_void, bytes: usize, flags: c_uint);
    mem_host_get_device_pointer =
        "cuMemHostGetDevicePointer_v2" (address: *mut CUdeviceptr, pointer: *mut c_void, flags: c_uint);
    mem_free_host = "cuMemFreeHost" (pointer: *mut c_void);
    memset_d8_async = "cuMemsetD8Async" (to: CUdeviceptr, value: u8, bytes: usize, stream: CUstream);
    memset_d32_async = "cuMemsetD32Async" (to: CUdeviceptr, value: c_uint, words: usize, stream: CUstream);
    memcpy_htod_async =
        "cuMemcpyHtoDAsync_v2" (to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    memcpy_dtoh_async = "cuMemcpyDtoHAsync_v2" (to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    memcpy_dtoh = "cuMemcpyDtoH_v2" (to: *mut c_void, from: CUdeviceptr, bytes: usize);
    memcpy_dtod_async =
        "cuMemcpyDtoDAsync_v2" (to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    memcpy_peer_async = "cuMemcpyPeerAsync" (
        to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, bytes: usize, stream: CUstream
    );
    memcpy_async = "cuMemcpyAsync" (to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    stream_create = "cuStreamCreate" (stream: *mut CUstream, flags: c_uint);
    stream_destroy = "cuStreamDestroy_v2" (stream: CUstream);
    stream_synchronize = "cuStreamSynchronize" (stream: CUstream);
    stream_wait_event = "cuStreamWaitEvent" (stream: CUstream, event: CUevent, flags: c_uint);
    stream_begin_capture = "cuStreamBeginCapture_v2" (stream: CUstream, mode: CUstreamCaptureMode);
    stream_end_capture = "cuStreamEndCapture" (stream: CUstream, graph: *mut CUgraph);
    graph_instantiate =
        "cuGraphInstantiateWithFlags" (executable: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
    graph_get_nodes = "cuGraphGetNodes" (graph: CUgraph, nodes: *mut CUgraphNode, count: *mut usize);
    graph_launch = "cuGraphLaunch" (executable: CUgraphExec, stream: CUstream);
    graph_exec_destroy = "cuGraphExecDestroy" (executable: CUgraphExec);
    graph_destroy = "cuGraphDestroy" (graph: CUgraph);
    event_create = "cuEventCreate" (event: *mut CUevent, flags: c_uint);
    event_destroy = "cuEventDestroy_v2" (event: CUevent);
    event_record = "cuEventRecord" (event: CUevent, stream: CUstream);
    event_query = "cuEventQuery" (event: CUevent);
    event_synchronize = "cuEventSynchronize" (event: CUevent);
    event_elapsed_time = "cuEventElapsedTime" (milliseconds: *mut f32, start: CUevent, end: CUevent);
    module_load_data_ex = "cuModuleLoadDataEx" (
        module: *mut CUmodule, image: *const c_void, count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void
    );
    module_unload = "cuModuleUnload" (module: CUmodule);
    module_get_function = "cuModuleGetFunction" (function: *mut CUfunction, module: CUmodule, name: *const c_char);
    module_get_global =
        "cuModuleGetGlobal_v2" (address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char);
    func_get_attribute = "cuFuncGetAttribute" (value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    func_set_attribute = "cuFuncSetAttribute" (function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    occupancy_max_active_blocks = "cuOccupancyMaxActiveBlocksPerMultiprocessor" (
        blocks: *mut c_int, function: CUfunction, threads: c_int, shared_bytes: usize
    );
    occupancy_max_potential_block_size = "cuOccupancyMaxPotentialBlockSize" (
        blocks: *mut c_int, threads: *mut c_int, function: CUfunction, shared_bytes_of: *const c_void,
        shared_bytes: usize, most_threads: c_int
    );
    launch_cooperative_kernel = "cuLaunchCooperativeKernel" (
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: CUstream, parameters: *mut *mut c_void
    );
    launch_kernel = "cuLaunchKernel" (
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: CUstream, parameters: *mut *mut c_void, extra: *mut *mut c_void
    );
}

impl Driver {
    /// Offset and size of a kernel's raw parameters, if the driver can report them. Without their `count`, the driver is
    /// queried until it returns an error, which tools that watch its calls report.
    ///
    /// # Safety
    /// `function` belongs to a loaded module.
    pub(crate) unsafe fn parameters(&self, function: CUfunction, count: Option<usize>) -> Option<Vec<(usize, usize)>> {
        let info = self.func_get_param_info?;
        let mut parameters = Vec::new();
        while count != Some(parameters.len()) {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: ensured by the caller; beyond the last parameter the driver returns an error.
            match unsafe { info(function, parameters.len(), &raw mut offset, &raw mut size) } {
                0 => parameters.push((offset, size)),
                1 => break,
                _ => return None,
            }
        }
        Some(parameters)
    }

    /// Page-locks memory of the program. `None` if this driver cannot.
    ///
    /// # Safety
    /// The memory stays allocated until [`host_unregister`](Self::host_unregister), or for ever.
    pub(crate) unsafe fn host_register(&self, pointer: *mut c_void, bytes: usize, flags: c_uint) -> Option<Code> {
        let (register, _) = self.mem_host_register?;
        // SAFETY: ensured by the caller.
        Some(Code(unsafe { register(pointer, bytes, flags) }))
    }

    /// Ends the page-locking of memory that was [registered](Self::host_register).
    ///
    /// # Safety
    /// No work uses it.
    pub(crate) unsafe fn host_unregister(&self, pointer: *mut c_void) -> Option<Code> {
        let (_, unregister) = self.mem_host_register?;
        // SAFETY: ensured by the caller.
        Some(Code(unsafe { unregister(pointer) }))
    }

    /// Number of devices.
    pub(crate) fn device_count(&self) -> Result<usize, CudaError> {
        let mut count = 0;
        // SAFETY: writes a number.
        unsafe { self.device_get_count(&raw mut count) }.check(self, || "counting devices".to_owned())?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// The device with a number.
    pub(crate) fn find_device(&self, ordinal: usize) -> Result<CUdevice, CudaError> {
        let count = self.device_count()?;
        let number = i32::try_from(ordinal)
            .ok()
            .filter(|_| ordinal < count)
            .ok_or(CudaError::NoSuchDevice { ordinal, count })?;
        let mut device = 0;
        // SAFETY: writes a handle.
        unsafe { self.device_get(&raw mut device, number) }.check(self, || format!("opening device {ordinal}"))?;
        Ok(device)
    }

    pub(crate) fn device_attribute(&self, device: CUdevice, attribute: CUdevice_attribute) -> Result<u32, CudaError> {
        let mut value = 0;
        // SAFETY: writes a number; the handle is the driver's own.
        unsafe { self.device_get_attribute(&raw mut value, attribute, device) }
            .check(self, || format!("reading {attribute:?} of device {device}"))?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    pub(crate) fn compute_capability(&self, device: CUdevice) -> Result<(u32, u32), CudaError> {
        use CUdevice_attribute as A;
        Ok((
            self.device_attribute(device, A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            self.device_attribute(device, A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ))
    }

    pub(crate) fn device_name(&self, device: CUdevice) -> Result<String, CudaError> {
        let mut text = [0; 256];
        // SAFETY: writes at most the array's length.
        unsafe { self.device_get_name(text.as_mut_ptr(), 255, device) }
            .check(self, || format!("reading the name of device {device}"))?;
        Ok(to_string(&text))
    }

    pub(crate) fn pci_bus_id(&self, device: CUdevice) -> Result<String, CudaError> {
        let mut text = [0; 32];
        // SAFETY: writes at most the array's length.
        unsafe { self.device_get_pci_bus_id(text.as_mut_ptr(), 31, device) }
            .check(self, || format!("reading the PCI address of device {device}"))?;
        Ok(to_string(&text))
    }

    fn text(&self, code: u32, get: unsafe fn(&Self, u32, *mut *const c_char) -> Code) -> String {
        let mut text = ptr::null();
        // SAFETY: the driver sets `text` to a static string, or to null for a code that it does not know.
        unsafe {
            if get(self, code, &raw mut text) == Code::SUCCESS && !text.is_null() {
                CStr::from_ptr(text).to_string_lossy().into_owned()
            } else {
                "an error that this driver has no name for".to_owned()
            }
        }
    }

    /// CUDA's name for an error.
    pub(crate) fn error_name(&self, code: Code) -> String {
        self.text(code.0, Self::get_error_name)
    }
}

fn to_string(text: &[c_char]) -> String {
    // C's char has a sign on x86-64 and none on aarch64.
    let bytes: Vec<u8> = text.iter().flat_map(|byte| byte.to_ne_bytes()).collect();
    CStr::from_bytes_until_nul(&bytes).map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned())
}

impl Code {
    pub(crate) const SUCCESS: Self = Self(0);
    pub(crate) const OUT_OF_MEMORY: Self = Self(2);
    pub(crate) const NO_DEVICE: Self = Self(100);
    pub(crate) const INVALID_PTX: Self = Self(218);
    pub(crate) const NOT_FOUND: Self = Self(500);
    pub(crate) const NOT_READY: Self = Self(600);
    pub(crate) const PEER_ACCESS_ALREADY_ENABLED: Self = Self(704);

    /// Whether it may be the result of work that was queued earlier, which any later call may return.
    pub(crate) fn is_of_earlier_work(self) -> bool {
        // An uncorrectable error of memory or of NVLink; an illegal access; a timeout; an assertion, a trap, an illegal
        // instruction or address, and any other abnormal end of a kernel.
        matches!(self.0, 214 | 220 | 226 | 700 | 702 | 710 | 714..=719 | 721)
    }

    /// An error that names the failed operation.
    pub(crate) fn check(self, driver: &Driver, operation: impl FnOnce() -> String) -> Result<(), CudaError> {
        if self == Self::SUCCESS { Ok(()) } else { Err(self.error(driver, operation())) }
    }

    #[cold]
    pub(crate) fn error(self, driver: &Driver, operation: String) -> CudaError {
        CudaError::Driver {
            operation,
            code: self.0,
            name: driver.error_name(self),
            description: driver.text(self.0, Driver::get_error_string),
            advice: advice(self.0),
        }
    }

    /// For destructors, which cannot return an error.
    pub(crate) fn warn(self, driver: &Driver, operation: &str) {
        // 4: the process is ending, and the driver has freed everything itself.
        if self != Self::SUCCESS && self.0 != 4 {
            tracing::warn!("{operation}: {} ({})", driver.error_name(self), self.0);
        }
    }
}

/// The driver's library, loaded once and not initialised, because that takes a tenth of a second.
pub(crate) fn library() -> Result<&'static Driver, CudaError> {
    static LIBRARY: OnceLock<Result<Driver, CudaError>> = OnceLock::new();
    LIBRARY.get_or_init(Driver::load).as_ref().map_err(Clone::clone)
}

/// The driver, loaded and initialised once.
pub(crate) fn driver() -> Result<&'static Driver, CudaError> {
    static INITIALISED: OnceLock<Result<(), CudaError>> = OnceLock::new();
    let driver = library()?;
    let initialise = || {
        // SAFETY: the first call of the driver, except for its version.
        match unsafe { driver.init(0) } {
            Code::NO_DEVICE => Err(CudaError::NoDevice { name: driver.error_name(Code::NO_DEVICE) }),
            code => code.check(driver, || "initialising the CUDA driver".to_owned()),
        }
    };
    INITIALISED.get_or_init(initialise).clone().map(|()| driver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_at_its_first_nul() {
        let text = |bytes: &[u8]| bytes.iter().map(|byte| byte.cast_signed()).collect::<Vec<_>>();
        assert_eq!(to_string(&text(b"GPU\0rest")), "GPU");
        assert_eq!(to_string(&text(b"no end")), "");
    }
}
