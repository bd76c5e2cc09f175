// Baselines of the kernels in tests/kernels/src/raw in CUDA C++, for benchmarks.
//
//     nvcc -O3 -arch=native -cubin -o zero_cost.cubin zero_cost.cu
//
// The same algorithms, tiles and orders of operations, fused where the Rust kernels say so and nowhere else, so that
// results have the same bits.

extern "C" __global__ void __launch_bounds__(256)
    cu_saxpy(float* __restrict__ out, const float* __restrict__ x, const float* __restrict__ y, float a, unsigned n,
             unsigned chunk) {
    unsigned first = blockIdx.x * chunk;
    unsigned end = min(n, first + chunk);
    for (unsigned i = first + threadIdx.x; i < end; i += 256) out[i] = fmaf(a, x[i], y[i]);
}

extern "C" __global__ void __launch_bounds__(256)
    cu_gather(float* __restrict__ out, const float* __restrict__ x, const unsigned* __restrict__ index, unsigned n,
              unsigned chunk) {
    unsigned first = blockIdx.x * chunk;
    unsigned end = min(n, first + chunk);
    for (unsigned i = first + threadIdx.x; i < end; i += 256) out[i] = x[index[i]];
}

__device__ __forceinline__ float warp_sum(float sum) {
    for (int delta = 16; delta > 0; delta >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, delta);
    return sum;
}

extern "C" __global__ void __launch_bounds__(1024)
    cu_sum(float* __restrict__ sums, const float* __restrict__ input, unsigned n, unsigned chunk) {
    __shared__ float groups[32];
    unsigned first = blockIdx.x * chunk;
    unsigned end = min(n, first + chunk);
    unsigned t = threadIdx.x;
    float sum = 0.f;
    for (unsigned i = first + t; i < end; i += 1024) sum += input[i];
    sum = warp_sum(sum);
    if (t % 32 == 0) groups[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = warp_sum(groups[t]);
        if (t == 0) sums[blockIdx.x] = sum;
    }
}

// Blocks of 256 threads: 64 columns by 4 rows at a time.
extern "C" __global__ void __launch_bounds__(256)
    cu_transpose(float* __restrict__ out, const float* __restrict__ input, unsigned rows, unsigned columns) {
    __shared__ float tile[64][65];
    unsigned x = threadIdx.x % 64, y = threadIdx.x / 64;
    unsigned across = columns / 64;
    unsigned tile_column = blockIdx.x % across * 64, tile_row = blockIdx.x / across * 64;
#pragma unroll
    for (unsigned step = 0; step < 64; step += 4)
        tile[y + step][x] = input[(tile_row + y + step) * columns + tile_column + x];
    __syncthreads();
#pragma unroll
    for (unsigned step = 0; step < 64; step += 4)
        out[(tile_column + y + step) * rows + tile_row + x] = tile[x][y + step];
}

extern "C" __global__ void __launch_bounds__(256)
    cu_histogram(unsigned* __restrict__ bins, const unsigned* __restrict__ words, unsigned n, unsigned chunk) {
    __shared__ unsigned local[256];
    unsigned t = threadIdx.x;
    local[t] = 0;
    __syncthreads();
    unsigned first = blockIdx.x * chunk;
    unsigned end = min(n, first + chunk);
    for (unsigned i = first + t; i < end; i += 256) {
        unsigned word = words[i];
        for (int byte = 0; byte < 4; ++byte) atomicAdd(&local[word >> (8 * byte) & 255], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[t], local[t]);
}

// A block makes 128 x 128 elements, a thread 8 x 8 of them: 4 x 4 in each quarter.
extern "C" __global__ void __launch_bounds__(256, 2)
    cu_matmul(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, unsigned n) {
    __shared__ __align__(16) float left[8][128], right[8][128];
    unsigned t = threadIdx.x;
    unsigned across = n / 128;
    unsigned tile_row = blockIdx.x / across * 128, tile_column = blockIdx.x % across * 128;
    unsigned a_row = t / 2, a_column = t % 2 * 4;
    unsigned b_row = t / 32, b_column = t % 32 * 4;
    const float* from_a = a + (tile_row + a_row) * n + a_column;
    const float* from_b = b + b_row * n + tile_column + b_column;
    unsigned row = t / 16 * 4, column = t % 16 * 4;
    float sums[8][8] = {};
    float4 next_a = *reinterpret_cast<const float4*>(from_a);
    float4 next_b = *reinterpret_cast<const float4*>(from_b);
    for (unsigned turn = n / 8;;) {
        left[a_column][a_row] = next_a.x;
        left[a_column + 1][a_row] = next_a.y;
        left[a_column + 2][a_row] = next_a.z;
        left[a_column + 3][a_row] = next_a.w;
        *reinterpret_cast<float4*>(&right[b_row][b_column]) = next_b;
        __syncthreads();
        --turn;
        if (turn > 0) {
            from_a += 8;
            from_b += 8ull * n;
            next_a = *reinterpret_cast<const float4*>(from_a);
            next_b = *reinterpret_cast<const float4*>(from_b);
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float x[8], y[8];
            *reinterpret_cast<float4*>(x) = *reinterpret_cast<const float4*>(&left[k][row]);
            *reinterpret_cast<float4*>(x + 4) = *reinterpret_cast<const float4*>(&left[k][row + 64]);
            *reinterpret_cast<float4*>(y) = *reinterpret_cast<const float4*>(&right[k][column]);
            *reinterpret_cast<float4*>(y + 4) = *reinterpret_cast<const float4*>(&right[k][column + 64]);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[i][j] = fmaf(x[i], y[j], sums[i][j]);
        }
        if (turn == 0) break;
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float* to = c + (tile_row + row + i % 4 + i / 4 * 64) * n + tile_column + column;
        *reinterpret_cast<float4*>(to) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        *reinterpret_cast<float4*>(to + 64) = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
    }
}
