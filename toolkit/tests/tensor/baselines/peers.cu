// The kernels of the comparison in CUDA C++, and CUB and cuBLASLt, timed by events: a line `program,kernel,size,milliseconds` each.
//
//     nvcc -O3 -std=c++17 -arch=native -o peers peers.cu -lcublasLt && ./peers >peers-cuda.csv
//
// On Hopper, `-gencode arch=compute_90a,code=sm_90a -DWGMMA` instead of `-arch=native` adds a product by warpgroups.
//
// saxpy, transpose, histogram and the f32 product are those of ../../baselines/zero_cost.cu.

#include "../../baselines/zero_cost.cu"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cublasLt.h>
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <vector>

static void check(int status, int line) {
    if (status == 0) return;
    fprintf(stderr, "line %d: error %d\n", line, status);
    exit(1);
}
#define CHECK(call) check(int(call), __LINE__)

// ---- kernel scan: one pass by decoupled look-back, 16 elements a thread
extern "C" __global__ void __launch_bounds__(256)
    cu_scan(uint4* __restrict__ out, unsigned long long* states, unsigned* next, const uint4* __restrict__ x, unsigned n) {
    __shared__ unsigned ticket, base, totals[8];
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
    if (t == 0) ticket = atomicAdd(next, 1u);
    __syncthreads();
    unsigned part = ticket, at = part * 1024 + warp * 128 + lane, before = 0;
    uint4 own[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        uint4 q = at + 32 * k < n ? x[at + 32 * k] : make_uint4(0, 0, 0, 0);
        q.y += q.x, q.z += q.y, q.w += q.z;
        unsigned all = q.w;
        for (int delta = 1; delta < 32; delta *= 2) {
            unsigned other = __shfl_up_sync(~0u, all, delta);
            if (lane >= delta) all += other;
        }
        unsigned add = before + all - q.w;
        own[k] = make_uint4(q.x + add, q.y + add, q.z + add, q.w + add);
        before += __shfl_sync(~0u, all, 31);
    }
    if (lane == 31) totals[warp] = before;
    __syncthreads();
    if (warp == 0) {
        unsigned sum = 0;
        for (int k = 0; k < 8; ++k) sum += totals[k];
        volatile unsigned long long* seen = states;
        if (part > 0 && lane == 0) atomicExch(states + part, 1ull << 32 | sum);
        unsigned found = 0, end = part;
        while (end > 0) {
            unsigned long long state = lane + 1 <= end ? seen[end - 1 - lane] : 2ull << 32;
            if (__any_sync(~0u, state < 1ull << 32)) continue;
            unsigned full = __ballot_sync(~0u, state >= 2ull << 32), last = full ? __ffs(full) - 1 : 32;
            found += __reduce_add_sync(~0u, lane <= last ? unsigned(state) : 0u);
            end = full ? 0 : end - 32;
        }
        if (lane == 0) {
            atomicExch(states + part, 2ull << 32 | (found + sum));
            base = found;
        }
    }
    __syncthreads();
    unsigned add = base;
    for (int k = 0; k < warp; ++k) add += totals[k];
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (at + 32 * k < n)
            out[at + 32 * k] = make_uint4(own[k].x + add, own[k].y + add, own[k].z + add, own[k].w + add);
}

// ---- kernel nbody: gravity between all pairs, by tiles of 256; rounded as IEEE says, or by the fast reciprocal root
template <bool EXACT> __global__ void __launch_bounds__(256)
    cu_nbody(float3* __restrict__ out, const float4* __restrict__ bodies, unsigned n, float softening) {
    __shared__ float4 tiles[2][256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    float4 own = bodies[min(i, n - 1)];
    float3 sum = {0.f, 0.f, 0.f};
    for (unsigned first = 0, half = 0; first < n; first += 256, half ^= 1) {
        unsigned m = min(256u, n - first);
        if (t < m) tiles[half][t] = bodies[first + t];
        __syncthreads();
        for (unsigned k = 0; k < m; ++k) {
            float4 other = tiles[half][k];
            float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
            float square = fmaf(x, x, fmaf(y, y, fmaf(z, z, softening)));
            float inverse = EXACT ? 1.f / sqrtf(square) : rsqrtf(square);
            float s = other.w * (inverse * inverse * inverse);
            sum = {fmaf(x, s, sum.x), fmaf(y, s, sum.y), fmaf(z, s, sum.z)};
        }
    }
    if (i < n) out[i] = sum;
}

// ---- kernel csr: a matrix in compressed rows times a vector, a warp a row
extern "C" __global__ void __launch_bounds__(256)
    cu_csr(float* __restrict__ y, const unsigned* __restrict__ starts, const unsigned* __restrict__ columns,
           const float* __restrict__ values, const float* __restrict__ x, unsigned rows) {
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (unsigned i = warp; i < 64; i += 8) {
        unsigned row = blockIdx.x * 64 + i;
        if (row >= rows) break;
        float sum = 0.f;
        for (unsigned k = starts[row] + lane; k < starts[row + 1]; k += 32) sum = fmaf(values[k], x[columns[k]], sum);
        sum = warp_sum(sum);
        if (lane == 0) y[row] = sum;
    }
}

template <class F> __device__ float block_reduce(float value, F f) {
    __shared__ float groups[8];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int delta = 16; delta > 0; delta >>= 1) value = f(value, __shfl_xor_sync(~0u, value, delta));
    __syncthreads();
    if (lane == 0) groups[warp] = value;
    __syncthreads();
    value = groups[lane % 8];
    for (int delta = 4; delta > 0; delta >>= 1) value = f(value, __shfl_xor_sync(~0u, value, delta));
    return value;
}

// ---- kernel softmax: a block a row, which it holds in registers
extern "C" __global__ void __launch_bounds__(256)
    cu_softmax(float4* __restrict__ out, const float4* __restrict__ x, unsigned columns) {
    unsigned groups = columns / 4, first = blockIdx.x * groups, t = threadIdx.x;
    float own[16];
    float most = -INFINITY, sum = 0.f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float4 q = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        if (256 * k + t < groups) q = x[first + 256 * k + t];
        own[4 * k] = q.x, own[4 * k + 1] = q.y, own[4 * k + 2] = q.z, own[4 * k + 3] = q.w;
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) most = fmaxf(most, own[k]);
    most = block_reduce(most, [](float a, float b) { return fmaxf(a, b); });
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += own[k] = expf(own[k] - most);
    float scale = 1.f / block_reduce(sum, [](float a, float b) { return a + b; });
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (256 * k + t < groups)
            out[first + 256 * k + t] = make_float4(own[4 * k] * scale, own[4 * k + 1] * scale, own[4 * k + 2] * scale,
                                                   own[4 * k + 3] * scale);
}

// ---- kernel layernorm: a block a row, which it holds in registers
extern "C" __global__ void __launch_bounds__(256)
    cu_layernorm(float4* __restrict__ out, float2* __restrict__ stats, const float4* __restrict__ x,
                 const float4* __restrict__ weight, const float4* __restrict__ bias, unsigned columns, float epsilon) {
    unsigned groups = columns / 4, first = blockIdx.x * groups, t = threadIdx.x;
    auto add = [](float a, float b) { return a + b; };
    float4 own[4];
    float sum = 0.f, squares = 0.f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        own[k] = 256 * k + t < groups ? x[first + 256 * k + t] : make_float4(0.f, 0.f, 0.f, 0.f);
        sum += own[k].x + own[k].y + (own[k].z + own[k].w);
    }
    float mean = block_reduce(sum, add) / columns;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (256 * k + t < groups) {
            float4& q = own[k];
            q.x -= mean, q.y -= mean, q.z -= mean, q.w -= mean;
            squares += q.x * q.x + q.y * q.y + (q.z * q.z + q.w * q.w);
        }
    float scale = rsqrtf(block_reduce(squares, add) / columns + epsilon);
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (256 * k + t < groups) {
            float4 q = own[k], w = weight[256 * k + t], b = bias[256 * k + t];
            out[first + 256 * k + t] = make_float4(fmaf(q.x * scale, w.x, b.x), fmaf(q.y * scale, w.y, b.y),
                                                   fmaf(q.z * scale, w.z, b.z), fmaf(q.w * scale, w.w, b.w));
        }
    if (t == 0) stats[blockIdx.x] = make_float2(mean, scale);
}

// ---- kernel product of bf16: tensor cores, tiles of 128 x 256 copied three turns ahead, 64 x 64 a warp
__device__ void load_rows(unsigned (&words)[4], unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3]) : "r"(address));
}
extern "C" __global__ void __launch_bounds__(256, 1)
    cu_product(float* __restrict__ out, const uint4* __restrict__ a, const uint4* __restrict__ b, unsigned columns,
               unsigned depth) {
    constexpr unsigned ROWS = 128, COLUMNS = 256, STAGES = 3, BYTES = (ROWS + COLUMNS) * 128;
    extern __shared__ __align__(128) char tiles[];
    unsigned base = __cvta_generic_to_shared(tiles), t = threadIdx.x, warp = t / 32, lane = t % 32;
    unsigned top = blockIdx.y * ROWS, left = blockIdx.x * COLUMNS, stride = depth / 8, turns = depth / 64;
    auto copy = [&](unsigned turn, unsigned stage) {
        if (turn < turns)
#pragma unroll
            for (unsigned i = t; i < BYTES / 16; i += 256) {
                unsigned row = i / 8, at = turn * 8 + ((i ^ row) & 7);
                const uint4* from = row < ROWS ? a + (top + row) * stride + at : b + (left + row - ROWS) * stride + at;
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + stage * BYTES + i * 16), "l"(from));
            }
        asm volatile("cp.async.commit_group;");
    };
    float sums[4][8][4] = {};
    unsigned x[2][4][4], y[2][4][4];
    auto load = [&](unsigned stage, unsigned k, unsigned to) {
        unsigned tile = base + stage * BYTES;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            unsigned row = warp / 4 * 64 + r * 16 + lane % 16, part = k * 2 + lane / 16;
            load_rows(x[to][r], tile + row * 128 + (part ^ row & 7) * 16);
            row = ROWS + warp % 4 * 64 + r * 16 + lane / 16 * 8 + lane % 8, part = k * 2 + lane / 8 % 2;
            load_rows(y[to][r], tile + row * 128 + (part ^ row & 7) * 16);
        }
    };
    for (unsigned turn = 0; turn + 1 < STAGES; ++turn) copy(turn, turn);
    for (unsigned turn = 0, now = 0; turn < turns; ++turn, now = now + 1 == STAGES ? 0 : now + 1) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        copy(turn + STAGES - 1, now == 0 ? STAGES - 1 : now - 1);
        load(now, 0, 0);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (k < 3) load(now, k + 1, (k + 1) % 2);
#pragma unroll
            for (int r = 0; r < 4; ++r)
#pragma unroll
                for (int c = 0; c < 8; ++c) {
                    float(&s)[4] = sums[r][c];
                    unsigned(&p)[4] = x[k % 2][r], (&q)[4] = y[k % 2][c / 2];
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[c % 2 * 2]), "r"(q[c % 2 * 2 + 1]));
                }
        }
    }
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int c = 0; c < 8; ++c)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                unsigned row = top + warp / 4 * 64 + r * 16 + h * 8 + lane / 4;
                unsigned column = left + warp % 4 * 64 + c * 8 + lane % 4 * 2;
                *reinterpret_cast<float2*>(out + row * columns + column) = make_float2(sums[r][c][2 * h], sums[r][c][2 * h + 1]);
            }
}

#ifdef WGMMA
// ---- kernel product of bf16 by warpgroups: as above, with tiles of 64 x 256 for four warps together, in four stages
#define SUMS_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 4), SUMS_4(i + 8), SUMS_4(i + 12)
#define SUMS SUMS_16(0), SUMS_16(16), SUMS_16(32), SUMS_16(48), SUMS_16(64), SUMS_16(80), SUMS_16(96), SUMS_16(112)
__device__ __forceinline__ void multiply_64x256(float (&sums)[128], unsigned long long rows, unsigned long long columns) {
    asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
                 "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
                 "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
                 "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
                 "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, "
                 "%102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, "
                 "%119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, p, 1, 1, 0, 0;}"
                 : SUMS : "l"(rows), "l"(columns));
}
extern "C" __global__ void __launch_bounds__(256, 1)
    cu_product_by_warpgroups(float* __restrict__ out, const uint4* __restrict__ a, const uint4* __restrict__ b,
                             unsigned columns, unsigned depth) {
    constexpr unsigned ROWS = 128, COLUMNS = 256, STAGES = 4, BYTES = (ROWS + COLUMNS) * 128;
    extern __shared__ __align__(1024) char aligned_tiles[];
    unsigned base = __cvta_generic_to_shared(aligned_tiles), t = threadIdx.x, warp = t / 32, lane = t % 32;
    unsigned top = blockIdx.y * ROWS, left = blockIdx.x * COLUMNS, stride = depth / 8, turns = depth / 64;
    auto copy = [&](unsigned turn, unsigned stage) {
        if (turn < turns)
#pragma unroll
            for (unsigned i = t; i < BYTES / 16; i += 256) {
                unsigned row = i / 8, at = turn * 8 + ((i ^ row) & 7);
                const uint4* from = row < ROWS ? a + (top + row) * stride + at : b + (left + row - ROWS) * stride + at;
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + stage * BYTES + i * 16), "l"(from));
            }
        asm volatile("cp.async.commit_group;");
    };
    auto place = [](unsigned address) { return 1ull << 62 | 64ull << 32 | 1ull << 16 | address >> 4; };
    unsigned group = __shfl_sync(~0u, warp / 4, 0);
    float sums[128] = {};
    for (unsigned turn = 0; turn + 2 < STAGES; ++turn) copy(turn, turn);
    for (unsigned turn = 0, now = 0; turn < turns; ++turn, now = (now + 1) % STAGES) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        copy(turn + STAGES - 2, (now + 2) % STAGES);
        unsigned tile = base + now * BYTES;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (unsigned k = 0; k < 4; ++k)
            multiply_64x256(sums, place(tile + group * 8192 + k * 32), place(tile + ROWS * 128 + k * 32));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS :: "memory");
#pragma unroll
    for (int c = 0; c < 32; ++c)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            unsigned row = top + warp * 16 + h * 8 + lane / 4, column = left + c * 8 + lane % 4 * 2;
            *reinterpret_cast<float2*>(out + row * columns + column) = make_float2(sums[4 * c + 2 * h], sums[4 * c + 2 * h + 1]);
        }
}
#endif
// ---- end of kernels

static cudaStream_t stream;
static int repetitions = 25;

template <class F> static double timed(const char* program, const char* kernel, const char* size, F run, int count = 0) {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    count = count ? count : repetitions;
    for (int i = -3; i < count; ++i) {
        CHECK(cudaEventRecord(begin, stream));
        run();
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaGetLastError());
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    printf("%s,%s,%s,%.5f\n", program, kernel, size, times[times.size() / 2]);
    fflush(stdout);
    return times[times.size() / 2];
}

static unsigned word(unsigned i) {
    unsigned z = (i ^ 0x9e3779b9u) * 0x85ebca6bu;
    z = (z ^ z >> 13) * 0xc2b2ae35u;
    return z ^ z >> 16;
}
static float number(unsigned i) { return float(word(i) >> 8) / (1 << 23) - 1.f; }

template <class T> static T* device(size_t n) {
    T* p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    CHECK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
template <class T, class F> static T* filled(size_t n, F f) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = f(unsigned(i));
    T* p = device<T>(n);
    CHECK(cudaMemcpy(p, values.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static std::vector<T> host(const T* p, size_t n) {
    std::vector<T> values(n);
    CHECK(cudaMemcpy(values.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}
static void same(bool is, const char* what) {
    if (!is) fprintf(stderr, "WRONG: %s\n", what), exit(1);
}

static void product(unsigned n) {
    auto bf = [](unsigned i) { return __float2bfloat16(float(int(word(i) % 9) - 4)); };
    auto *a = filled<__nv_bfloat16>(size_t(n) * n, bf), *b = filled<__nv_bfloat16>(size_t(n) * n, [&](unsigned i) { return bf(i + 77); });
    float *out = device<float>(size_t(n) * n), *other = device<float>(size_t(n) * n);
    char size[32];
    snprintf(size, sizeof size, "%u", n);
    CHECK(cudaFuncSetAttribute(cu_product, cudaFuncAttributeMaxDynamicSharedMemorySize, 3 * 384 * 128));
    timed("CUDA C++", "product of bf16", size, [&] {
        cu_product<<<dim3(n / 256, n / 128), 256, 3 * 384 * 128, stream>>>(out, (uint4*)a, (uint4*)b, n, n);
    });
#ifdef WGMMA
    float* by_warpgroups = device<float>(size_t(n) * n);
    CHECK(cudaFuncSetAttribute(cu_product_by_warpgroups, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * 384 * 128));
    timed("CUDA C++", "product of bf16 by warpgroups", size, [&] {
        cu_product_by_warpgroups<<<dim3(n / 256, n / 128), 256, 4 * 384 * 128, stream>>>(by_warpgroups, (uint4*)a, (uint4*)b, n, n);
    });
    same(host(out, size_t(n) * n) == host(by_warpgroups, size_t(n) * n), "product of bf16 by warpgroups");
    CHECK(cudaFree(by_warpgroups));
#endif
    cublasLtHandle_t lt;
    CHECK(cublasLtCreate(&lt));
    for (auto type : {CUDA_R_32F, CUDA_R_16BF}) {
        cublasLtMatmulDesc_t description;
        CHECK(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        cublasOperation_t turned = CUBLAS_OP_T;
        CHECK(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
        // Column-major: the transposed product of the transposed matrices.
        cublasLtMatrixLayout_t x, y, z;
        CHECK(cublasLtMatrixLayoutCreate(&x, CUDA_R_16BF, n, n, n));
        CHECK(cublasLtMatrixLayoutCreate(&y, CUDA_R_16BF, n, n, n));
        CHECK(cublasLtMatrixLayoutCreate(&z, type, n, n, n));
        cublasLtMatmulPreference_t preference;
        CHECK(cublasLtMatmulPreferenceCreate(&preference));
        size_t room = 64 << 20;
        void* workspace = device<char>(room);
        CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room));
        cublasLtMatmulHeuristicResult_t found[1];
        int count = 0;
        CHECK(cublasLtMatmulAlgoGetHeuristic(lt, description, x, y, z, z, preference, 1, found, &count));
        same(count == 1, "cuBLASLt has an algorithm");
        float one = 1.f, none = 0.f;
        timed("cuBLASLt", type == CUDA_R_32F ? "product of bf16" : "product of bf16 to bf16", size, [&] {
            CHECK(cublasLtMatmul(lt, description, &one, b, x, a, y, &none, other, z, other, z, &found[0].algo, workspace,
                                 room, stream));
        });
        if (type == CUDA_R_32F) same(host(out, size_t(n) * n) == host(other, size_t(n) * n), "product of bf16");
        CHECK(cudaFree(workspace));
    }
    CHECK(cudaFree(a)), CHECK(cudaFree(b)), CHECK(cudaFree(out)), CHECK(cudaFree(other));
}

int main() {
    CHECK(cudaStreamCreate(&stream));
    const unsigned n = 1 << 26;
    {
        float *x = filled<float>(n, number), *y = filled<float>(n, number), *out = device<float>(n);
        timed("copy", "copy", "67108864", [&] { CHECK(cudaMemcpyAsync(out, x, 4ull * n, cudaMemcpyDeviceToDevice, stream)); });
        timed("CUDA C++", "saxpy", "67108864", [&] { cu_saxpy<<<n / 4096, 256, 0, stream>>>(out, x, y, 1.25f, n, 4096); });
        timed("CUDA C++", "transpose", "16384 x 4096", [&] { cu_transpose<<<n / 1024, 256, 0, stream>>>(out, x, 16384, 4096); });
        timed("CUDA C++", "softmax", "16384 x 4096", [&] { cu_softmax<<<16384, 256, 0, stream>>>((float4*)out, (float4*)x, 4096); });
        double sum = 0;
        for (float p : host(out, 4096)) sum += p;
        same(sum > 0.9999 && sum < 1.0001, "softmax");
        float2* stats = device<float2>(16384);
        timed("CUDA C++", "layer norm", "16384 x 4096", [&] {
            cu_layernorm<<<16384, 256, 0, stream>>>((float4*)out, stats, (float4*)x, (float4*)y, (float4*)(y + 4096), 4096, 1e-5f);
        });
        CHECK(cudaFree(x)), CHECK(cudaFree(y)), CHECK(cudaFree(out)), CHECK(cudaFree(stats));
    }
    {
        unsigned *x = filled<unsigned>(n, word), *y = filled<unsigned>(n, [](unsigned i) { return i; });
        unsigned *out = device<unsigned>(n), *other = device<unsigned>(n), *bins = device<unsigned>(256);
        timed("CUDA C++", "histogram", "268435456", [&] { cu_histogram<<<n / 16384, 256, 0, stream>>>(bins, x, n, 16384); });
        auto* states = device<unsigned long long>(n / 4096 + 1);
        timed("CUDA C++", "scan", "67108864", [&] {
            CHECK(cudaMemsetAsync(states, 0, 8 * (n / 4096 + 1), stream));
            cu_scan<<<n / 4096, 256, 0, stream>>>((uint4*)out, states, (unsigned*)(states + n / 4096), (uint4*)x, n / 4);
        });
        size_t room = 0;
        CHECK(cub::DeviceScan::InclusiveSum(nullptr, room, x, other, n, stream));
        void* scratch = device<char>(room);
        timed("CUB", "scan", "67108864", [&] { CHECK(cub::DeviceScan::InclusiveSum(scratch, room, x, other, n, stream)); });
        same(host(out, n) == host(other, n), "scan");
        CHECK(cudaFree(scratch));
        CHECK(cub::DeviceRadixSort::SortPairs(nullptr, room, x, out, y, other, n, 0, 32, stream));
        scratch = device<char>(room);
        timed("CUB", "radix sort", "67108864", [&] {
            CHECK(cub::DeviceRadixSort::SortPairs(scratch, room, x, out, y, other, n, 0, 32, stream));
        });
        CHECK(cudaFree(scratch)), CHECK(cudaFree(x)), CHECK(cudaFree(y)), CHECK(cudaFree(out)), CHECK(cudaFree(other));
    }
    for (unsigned side : {1024u, 2048u, 4096u}) {
        size_t all = size_t(side) * side;
        float *a = filled<float>(all, number), *b = filled<float>(all, number), *c = device<float>(all);
        char size[32];
        snprintf(size, sizeof size, "%u", side);
        timed("CUDA C++", "product of f32", size, [&] { cu_matmul<<<side / 128 * (side / 128), 256, 0, stream>>>(c, a, b, side); });
        CHECK(cudaFree(a)), CHECK(cudaFree(b)), CHECK(cudaFree(c));
    }
    product(4096);
    {
        unsigned bodies = 1 << 17;
        float4* at = filled<float4>(bodies, [](unsigned i) { return make_float4(number(4 * i), number(4 * i + 1), number(4 * i + 2), number(4 * i + 3) + 2.f); });
        float3* out = device<float3>(bodies);
        timed("CUDA C++", "nbody", "131072", [&] { cu_nbody<true><<<bodies / 256, 256, 0, stream>>>(out, at, bodies, 0.01f); });
        timed("CUDA C++", "nbody by rsqrtf", "131072", [&] { cu_nbody<false><<<bodies / 256, 256, 0, stream>>>(out, at, bodies, 0.01f); });
    }
    {
        unsigned rows = 1 << 20;
        std::vector<unsigned> starts(1, 0);
        for (unsigned i = 0; i < rows; ++i) starts.push_back(starts[i] + (i % 7 == 0 ? 0 : word(i) % 100));
        unsigned entries = starts[rows];
        unsigned *begins = filled<unsigned>(rows + 1, [&](unsigned i) { return starts[i]; });
        unsigned* columns = filled<unsigned>(entries, [&](unsigned k) { return word(k + 77) % rows; });
        float *values = filled<float>(entries, number), *x = filled<float>(rows, number), *y = device<float>(rows);
        timed("CUDA C++", "csr", "1048576 rows", [&] { cu_csr<<<rows / 64, 256, 0, stream>>>(y, begins, columns, values, x, rows); });
    }
    CHECK(cudaStreamSynchronize(stream));
}
