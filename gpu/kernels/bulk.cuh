/* bulk.cuh - bulk copies between global and shared memory and the barriers that they
 * arrive on (PTX ISA 8.0, cp.async.bulk and mbarrier): from compute capability 9.0 on.
 * Addresses and sizes are multiples of 16. */
#ifndef GPU_KERNELS_BULK_CUH
#define GPU_KERNELS_BULK_CUH

#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void barrier_init(uint64_t *barrier, unsigned arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
		     "r"(arrivals)
		     : "memory");
}

/* After barrier_init(), before other threads and copies use them. */
__device__ __forceinline__ void barrier_init_done()
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void barrier_arrive(uint64_t *barrier)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
		     : "memory");
}

/* Arrives; the phase is over when so many bytes came, too. */
__device__ __forceinline__ void barrier_arrive_expecting(uint64_t *barrier, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
			     shared_address(barrier)),
		     "r"(bytes)
		     : "memory");
}

/* Until the phase of that parity (0 first) is over. */
__device__ __forceinline__ void barrier_wait(uint64_t *barrier, uint32_t parity)
{
	uint32_t over;

	do {
		asm volatile("{\n\t.reg .pred p;\n\t"
			     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
			     "selp.u32 %0, 1, 0, p;\n\t}"
			     : "=r"(over)
			     : "r"(shared_address(barrier)), "r"(parity)
			     : "memory");
	} while (!over);
}

__device__ __forceinline__ void bulk_load(void *shared, const void *global, uint32_t bytes,
					  uint64_t *barrier)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
		     "l"(global), "r"(bytes), "r"(shared_address(barrier))
		     : "memory");
}

/* What threads wrote to shared memory is what a copy out of it finds. */
__device__ __forceinline__ void bulk_fence()
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void bulk_store(void *global, const void *shared, uint32_t bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
		     "r"(shared_address(shared)), "r"(bytes)
		     : "memory");
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* This thread's stores have read their shared memory; or are done. */
__device__ __forceinline__ void bulk_stores_read()
{
	asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__device__ __forceinline__ void bulk_stores_done()
{
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif

#endif
