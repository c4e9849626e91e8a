/* extreme.cu - minima, maxima and largest magnitudes, with their lowest index. */
#include "gpu/kernels/extreme_policy.cuh"

static struct key_rule rule_of(const struct elements *in, enum accum accum, unsigned size)
{
	const bool is_float = is_float_type(in->dtype), is_signed = is_signed_type(in->dtype);
	struct key_rule rule = {};

	rule.dtype = in->dtype;
	rule.omit = in->omit;
	rule.magnitude = accum == ACCUM_MAX_ABS && (is_float || is_signed);
	rule.sign = (uint64_t)1 << (8 * size - 1);
	rule.mask = rule.sign | (rule.sign - 1);
	rule.infinity = infinity_bits(in->dtype);
	if (is_float) {
		rule.flip = rule.sign;
		rule.flip_negative = rule.mask ^ rule.sign;
	} else if (is_signed && !rule.magnitude) {
		rule.flip = rule.sign;
	}
	if (accum == ACCUM_MIN)
		rule.flip ^= rule.mask;
	return rule;
}

template <class R, bool FLOAT, bool MAPPED>
static extreme_policy<R, FLOAT, MAPPED> policy_of(const struct free_job *job,
						  const struct key_rule *rule)
{
	using key = typename extreme_policy<R, FLOAT, MAPPED>::key;
	extreme_policy<R, FLOAT, MAPPED> p;

	p.x = p.y = (const R *)job->elements->x;
	p.flip = (key)rule->flip;
	p.flip_negative = (key)rule->flip_negative;
	p.keep = (key)(rule->magnitude ? rule->mask ^ rule->sign : rule->mask);
	p.infinity = (key)rule->infinity;
	p.omitted = rule->omit ? 0 : (key)rule->mask;
	p.is_bool = rule->dtype == DTYPE_BOOL;
	p.magnitude = rule->magnitude;
	p.end.rule = *rule;
	return p;
}

template <class R, bool FLOAT>
static cudaError_t extreme_of(const struct free_job *job, const struct key_rule *rule)
{
	const struct c_order order = c_order_of(job->map);

	if (order.ndim == 0)
		return free_fold(job, policy_of<R, FLOAT, false>(job, rule));

	auto p = policy_of<R, FLOAT, true>(job, rule);

	p.order = order;
	if (job->lines == nullptr || job->lines->lines != 1)
		return cudaErrorInvalidValue; /* reduced whole: one line */
	return fold_alone(job->launch, p, job->lines, job->values);
}

cudaError_t extreme_element(const struct free_job *job, enum accum accum)
{
	const enum dtype dtype = job->elements->dtype;

	return with_storage(dtype, [&](auto storage) -> cudaError_t {
		using R = decltype(storage);
		const struct key_rule rule = rule_of(job->elements, accum, sizeof(R));

		if constexpr (sizeof(R) > 1)
			if (is_float_type(dtype))
				return extreme_of<R, true>(job, &rule);
		return extreme_of<R, false>(job, &rule);
	});
}
