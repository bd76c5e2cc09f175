//! Safe code makes no image from a text, and loads nothing else.
use cuda_host::{CudaExecutor, Image, Machine, Module};

const PTX: &str = ".version 6.3\n.target sm_75\n.address_size 64\n";

fn from_files() -> Image<'static> {
    Image::from_files("kernels.sm_75.ptx", PTX, &[])
}

fn from_text() -> Image<'static> {
    Image::from_text("mine", PTX)
}

fn from_build_script() -> Result<Image<'static>, &'static str> {
    Image::from_build_script(PTX, "")
}

fn loaded(context: &cuda_host::Context) {
    let _ = CudaExecutor::open(0, "mine", PTX);
    let _ = Module::load(context, "mine", PTX.into());
    let _ = Machine::best("mine", Ok(PTX));
}

fn of_another_compiler(context: &cuda_host::Context) {
    let _ = cuda_host::raw::load_image(context, "mine", PTX.as_bytes());
}

fn main() {}
