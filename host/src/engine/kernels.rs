//! The kernels that this build of the library launches.

use cuda_std::launch::Kernel;

/// A kernel, and what identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Name of its entry in the PTX.
    pub name: &'static str,
    /// Threads in a block.
    pub threads: u32,
    /// Its signature with the layout of every type, as both sides must have it.
    pub description: &'static str,
}

impl KernelInfo {
    const fn of<K: Kernel>() -> Self {
        Self { name: K::NAME, threads: K::THREADS, description: K::DESCRIPTION }
    }

    /// A short name for the description: its FNV-1a hash of 64 bits.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.description
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

/// Every kernel that the engine launches.
#[must_use]
pub fn kernels() -> &'static [KernelInfo] {
    const ALL: &[KernelInfo] = &[KernelInfo::of::<kernels_gpu::mega_fused_batch_detection_prism4d::Kernel>()];
    ALL
}

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
    fn the_fused_kernel_is_listed() {
        let kernel = kernels()[0];
        assert_eq!((kernel.name, kernel.threads), ("mega_fused_batch_detection_prism4d", 256));
        assert!(kernel.description.contains("config:"), "{}", kernel.description);
    }
}
