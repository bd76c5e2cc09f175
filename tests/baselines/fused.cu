// Baselines of the kernel `contacts` (toolkit/tests/kernels/src/contact.rs) in CUDA C++, for benchmarks.
//
//     nvcc -O3 -arch=native -cubin -o fused.cubin fused.cu
//
// Sums, products and roots are those of the Rust kernel in the same order, fused where it says so and nowhere else,
// so that `contact_team` gives its bits.

struct __align__(16) Point {
    float x, y, z;
    unsigned tag;
};

struct Vector {
    float x, y, z;
};

__device__ __forceinline__ float dot(Vector a, Vector b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }

__device__ __forceinline__ Vector between(Point a, Point b) { return {b.x - a.x, b.y - a.y, b.z - a.z}; }

__device__ __forceinline__ Vector unit(Vector v) {
    float length = sqrtf(dot(v, v));
    return {v.x / length, v.y / length, v.z / length};
}

__device__ __forceinline__ Vector axis_of(const Point* p, unsigned n, unsigned i, Point here) {
    if (i == 0 || i + 1 >= n) return {0.f, 0.f, 0.f};
    Vector a = unit(between(p[i - 1], here)), b = unit(between(p[i + 1], here));
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

struct Sums {
    float number = 0.f, weighted = 0.f, half_spheres = 0.f, up = 0.f;

    __device__ __forceinline__ void step(Point here, Point other, Vector axis, float radius2) {
        Vector to = between(here, other);
        float d2 = dot(to, to);
        if (d2 > 0.f) {
            weighted += 1.f / d2;
            if (d2 < radius2) number += 1.f;
            if (d2 < 144.f) {
                half_spheres += 1.f;
                if (dot(to, axis) > 0.f) up += 1.f;
            }
        }
    }

    __device__ __forceinline__ float4 result() const {
        return make_float4(number, weighted, up, half_spheres - up);
    }
};

// The same algorithm: a team of eight lanes a residue.
extern "C" __global__ void __launch_bounds__(256)
    contact_team(float4* __restrict__ out, const unsigned* __restrict__ offsets, const Point* __restrict__ points,
                 float threshold) {
    unsigned start = offsets[blockIdx.x], n = offsets[blockIdx.x + 1] - start;
    const Point* p = points + start;
    float radius2 = threshold * threshold;
    unsigned lane = threadIdx.x & 7, mask = 0xffu << (threadIdx.x & 24);
    for (unsigned i = threadIdx.x / 8; i < n; i += blockDim.x / 8) {
        Point here = p[i];
        Vector axis = axis_of(p, n, i, here);
        Sums sums;
        for (unsigned j = lane; j < n; j += 8) sums.step(here, p[j], axis, radius2);
        for (int stride = 4; stride > 0; stride >>= 1) {
            sums.number += __shfl_down_sync(mask, sums.number, stride, 8);
            sums.weighted += __shfl_down_sync(mask, sums.weighted, stride, 8);
            sums.half_spheres += __shfl_down_sync(mask, sums.half_spheres, stride, 8);
            sums.up += __shfl_down_sync(mask, sums.up, stride, 8);
        }
        if (lane == 0) out[start + i] = sums.result();
    }
}

// What one writes first: a thread a residue, loads from global memory.
extern "C" __global__ void __launch_bounds__(256)
    contact_direct(float4* __restrict__ out, const unsigned* __restrict__ offsets, const Point* __restrict__ points,
                   float threshold) {
    unsigned start = offsets[blockIdx.x], n = offsets[blockIdx.x + 1] - start;
    const Point* p = points + start;
    float radius2 = threshold * threshold;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        Point here = p[i];
        Vector axis = axis_of(p, n, i, here);
        Sums sums;
        for (unsigned j = 0; j < n; ++j) sums.step(here, p[j], axis, radius2);
        out[start + i] = sums.result();
    }
}
