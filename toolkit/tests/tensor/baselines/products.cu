// Products of matrices by cuBLASLt, timed by events: a line `program,kernel,size,milliseconds` each.
//
//     nvcc -O3 -std=c++17 -arch=native -o products products.cu -lcublasLt && ./products >products-cuda.csv

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <vector>

static void check(int status, int line) {
    if (status == 0) return;
    fprintf(stderr, "line %d: error %d\n", line, status);
    exit(1);
}
#define CHECK(call) check(int(call), __LINE__)

static cudaStream_t stream;
static cublasLtHandle_t lt;

static unsigned word(unsigned i) {
    i ^= i >> 16, i *= 0x7feb352d, i ^= i >> 15, i *= 0x846ca68b;
    return i ^ i >> 16;
}

template <class T> static T* matrix(size_t n, unsigned first) {
    std::vector<T> values(n * n);
    for (size_t i = 0; i < n * n; ++i) values[i] = T(float(int(word(unsigned(i) + first) % 9) - 4));
    T* p;
    CHECK(cudaMalloc(&p, n * n * sizeof(T)));
    CHECK(cudaMemcpy(p, values.data(), n * n * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

// The transposed product of the transposed matrices, as all are column-major; the result is f32. `fast` is how 8-bit floats are added.
template <class T>
static void product(const char* name, unsigned n, cudaDataType type, cublasComputeType_t compute, int8_t fast = 0) {
    T *a = matrix<T>(n, 0), *b = matrix<T>(n, 77);
    float* out;
    CHECK(cudaMalloc(&out, size_t(n) * n * sizeof(float)));
    cublasLtMatmulDesc_t description;
    CHECK(cublasLtMatmulDescCreate(&description, compute, CUDA_R_32F));
    cublasOperation_t turned = CUBLAS_OP_T;
    CHECK(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
    if (fast) CHECK(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast));
    cublasLtMatrixLayout_t x, y, z;
    CHECK(cublasLtMatrixLayoutCreate(&x, type, n, n, n));
    CHECK(cublasLtMatrixLayoutCreate(&y, type, n, n, n));
    CHECK(cublasLtMatrixLayoutCreate(&z, CUDA_R_32F, n, n, n));
    cublasLtMatmulPreference_t preference;
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    size_t room = 64 << 20;
    void* workspace;
    CHECK(cudaMalloc(&workspace, room));
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room));
    cublasLtMatmulHeuristicResult_t found[1];
    int count = 0;
    CHECK(cublasLtMatmulAlgoGetHeuristic(lt, description, x, y, z, z, preference, 1, found, &count));
    float one = 1.f, none = 0.f;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = -3; i < 25; ++i) {
        CHECK(cudaEventRecord(begin, stream));
        CHECK(cublasLtMatmul(lt, description, &one, b, x, a, y, &none, out, z, out, z, &found[0].algo, workspace, room, stream));
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    printf("cuBLASLt,product of %s,%u,%.5f\n", name, n, times[times.size() / 2]);
    fflush(stdout);
    for (void* p : {(void*)a, (void*)b, (void*)out, workspace}) CHECK(cudaFree(p));
}

int main() {
    CHECK(cudaStreamCreate(&stream));
    CHECK(cublasLtCreate(&lt));
    for (unsigned n : {4096u, 8192u}) {
        product<__nv_bfloat16>("bf16", n, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
        product<__half>("f16", n, CUDA_R_16F, CUBLAS_COMPUTE_32F);
        product<float>("f32", n, CUDA_R_32F, CUBLAS_COMPUTE_32F);
        product<float>("tf32", n, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
        product<__nv_fp8_e4m3>("e4m3", n, CUDA_R_8F_E4M3, CUBLAS_COMPUTE_32F);
        product<__nv_fp8_e4m3>("e4m3 with fast accumulation", n, CUDA_R_8F_E4M3, CUBLAS_COMPUTE_32F, 1);
    }
}
