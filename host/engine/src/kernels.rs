//! The kernels that this build of the library launches.

use cuda_std::launch::Kernel;
use kernels_gpu::{BatchKernel, Blocks, PTX};

/// The module that contains the kernels.
pub(super) const MODULE: &str = "kernels_gpu";

/// A kernel and its identity.
///
/// ```
/// use prism_engine::{kernels, ptx_module};
///
/// let (name, bytes) = ptx_module();
/// println!("{name}: {bytes} bytes");
/// for kernel in kernels() {
///     // The PTX was built from the sources that this program was built from.
///     assert_eq!(kernel.ptx_fingerprint(), Some(kernel.fingerprint()), "{}", kernel.name);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// The name of its entry in the PTX.
    pub name: &'static str,
    /// The number of threads in a block.
    pub threads: u32,
    /// Its signature with the layout of every type. Both sides must have the same.
    pub description: &'static str,
}

impl KernelInfo {
    const fn of<K: Kernel>() -> Self {
        Self { name: K::NAME, threads: K::THREADS, description: K::DESCRIPTION }
    }

    /// A short name for the description: its FNV-1a hash of 64 bits.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        fnv_1a(self.description.as_bytes())
    }

    /// The same hash of the description in the PTX. If it differs from [`fingerprint`](Self::fingerprint), the PTX was built from
    /// other sources, and no device will run it. `None` if the PTX has no such kernel.
    #[must_use]
    pub fn ptx_fingerprint(&self) -> Option<u64> {
        ptx_description(PTX, self.name).map(|description| fnv_1a(&description))
    }
}

/// Name and size in bytes of the PTX module that contains the kernels.
#[must_use]
pub fn ptx_module() -> (&'static str, usize) {
    (MODULE, PTX.len())
}

fn fnv_1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The bytes of a kernel's description in the PTX.
fn ptx_description(ptx: &str, name: &str) -> Option<Vec<u8>> {
    let symbol = format!("__cuda_std_description_{name}[");
    let declaration = &ptx[ptx.find(&symbol)?..];
    let (_, bytes) = declaration.split_once('{')?;
    let (bytes, _) = bytes.split_once('}')?;
    bytes.split(',').map(|byte| byte.trim().parse::<u8>().ok()).collect()
}

macro_rules! of_kernels {
    ($($kernel:ident),*) => {
        /// Every kernel that the engine launches.
        #[must_use]
        pub fn kernels() -> &'static [KernelInfo] {
            const ALL: &[KernelInfo] = &[$(KernelInfo::of::<kernels_gpu::$kernel::Kernel>()),*];
            ALL
        }

        /// The unit of work of a kernel's blocks.
        pub(super) fn blocks_of(kernel: &str) -> Option<Blocks> {
            $(
                if kernel == <kernels_gpu::$kernel::Kernel as Kernel>::NAME {
                    return Some(<kernels_gpu::$kernel::Kernel as BatchKernel>::BLOCKS);
                }
            )*
            None
        }
    };
}

kernels_gpu::for_each_kernel!(of_kernels);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_fnv_1a() {
        let fingerprint = |description| KernelInfo { name: "", threads: 0, description }.fingerprint();
        // From the published test vectors.
        assert_eq!(fingerprint(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fingerprint("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_description_is_found_in_ptx() {
        let ptx = ".global .align 1 .b8 __cuda_std_description_other[1] = {98};\n\
                   .visible .global .align 1 .b8 __cuda_std_description_k[3] = {97, 98,\n 99};\n";
        assert_eq!(ptx_description(ptx, "k"), Some(b"abc".to_vec()));
        assert_eq!(ptx_description(ptx, "missing"), None);
    }

    #[test]
    fn every_kernel_is_in_the_ptx() {
        for kernel in kernels() {
            assert!(kernel.ptx_fingerprint().is_some(), "{}", kernel.name);
        }
    }

    #[test]
    fn the_fused_kernel_is_listed() {
        let kernel = kernels()[0];
        assert_eq!((kernel.name, kernel.threads), ("mega_fused_batch_detection_prism4d", 256));
        assert!(kernel.description.contains("config:"), "{}", kernel.description);
    }
}
