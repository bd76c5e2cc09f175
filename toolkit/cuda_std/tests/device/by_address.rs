trait Step: Sync + cuda_std::Frozen {
    fn step(&self, x: &[u32], i: u32) -> u32;
}

/// Takes several KiB of stack.
struct Long;

impl Step for Long {
    fn step(&self, x: &[u32], i: u32) -> u32 {
        let mut counts = [i; 1000];
        for k in 0..1000 {
            counts[(x.at(k) % 1000) as usize] += k;
        }
        counts[(x.at(i) % 1000) as usize]
    }
}

struct Short;

impl Step for Short {
    fn step(&self, _: &[u32], i: u32) -> u32 {
        i
    }
}

#[kernel(threads = 64)]
pub fn by_object(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32]) {
    let steps: [&dyn Step; 2] = [&Long, &Short];
    out.fill(block, 64, |i| steps[(x.at(i) % 2) as usize].step(x, i));
}

#[inline(never)]
fn long(x: &[u32], i: u32) -> u32 {
    Long.step(x, i)
}

#[inline(never)]
fn short(x: &[u32], i: u32) -> u32 {
    Short.step(x, i)
}

#[kernel(threads = 64)]
pub fn by_pointer(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32]) {
    let steps = [long, short as fn(&[u32], u32) -> u32];
    out.fill(block, 64, |i| steps[(x.at(i) % 2) as usize](x, i));
}

/// Its stack is known, however long.
#[kernel(threads = 64)]
pub fn by_type(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32]) {
    out.fill(block, 64, |i| if x.at(i).is_multiple_of(2) { long(x, i) } else { short(x, i) });
}
