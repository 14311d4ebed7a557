"""The latencies that transformeter-fake-worker sends, drawn again from its behaviour by other means (scipy's quantile
functions), sample for sample. Written from the comments of tests/fake_worker/behaviour.h and src/shared/base/random.h."""
import hashlib
import json
import math

from scipy import stats

MASK = (1 << 64) - 1


def derive_seed(seed, name):
    return int(hashlib.sha256(f"{seed}/{name}".encode()).hexdigest()[:16], 16)


class RandomStream:
    """SplitMix64, with Box-Muller normals."""

    def __init__(self, seed, name):
        self.state = derive_seed(seed, name)

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 11) * 2.0 ** -53

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())


def canonical(settings):
    return json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


SETTINGS_OF_DRAWS = ["model", "task", "data", "batch_size", "sequence_length", "padding", "precision",
                     "prompt_length", "new_tokens"]


def seed_of(behaviour, settings, replicate):
    chosen = {name: settings[name] for name in SETTINGS_OF_DRAWS if name in settings}
    seed = derive_seed(behaviour.get("seed", 0), canonical(chosen))
    if behaviour.get("replicate_folder"):
        seed = derive_seed(seed, f"replicate {replicate}")
    return seed


def quantile_function(shape, mean):
    """Normal score to value."""
    kind, sd = shape.get("kind", "constant"), shape.get("sd_s", 0)
    if kind in ("normal", "ar1"):
        return lambda z: mean + sd * z
    if kind == "lognormal":
        sigma = math.sqrt(math.log1p(sd * sd / (mean * mean)))
        return lambda z: stats.lognorm.ppf(stats.norm.cdf(z), s=sigma, scale=mean * math.exp(-sigma * sigma / 2))
    if kind == "gamma":
        return lambda z: stats.gamma.ppf(stats.norm.cdf(z), a=mean * mean / (sd * sd), scale=sd * sd / mean)
    if kind == "bimodal":
        share, factor = shape.get("slow_share", 0.3), shape.get("slow_factor", 1.2)
        fast = mean / (1 - share + share * factor)

        def value(z):
            u = stats.norm.cdf(z)
            if u < 1 - share:
                return fast + sd * stats.norm.ppf(u / (1 - share))
            return fast * factor + sd * stats.norm.ppf((u - (1 - share)) / share)
        return value
    return lambda z: mean


def position_factor(shape, i, spikes):
    factor = 1.0
    ramp = shape.get("warmup_samples", 0)
    if i < ramp:
        factor *= 1 + (shape.get("warmup_factor", 1) - 1) * (1 - i / ramp)
    factor *= 1 + shape.get("drift_per_sample", 0) * i
    for at, level in reversed(shape.get("steps", [])):
        if i >= at:
            factor *= level
            break
    rate, every = shape.get("spike_rate", 0), shape.get("spike_every", 0)
    spiked = rate > 0 and spikes.uniform() < rate
    if spiked or (every > 0 and (i + 1) % every == 0):
        factor *= shape.get("spike_factor", 1)
    return factor


def draws(shape, seed, sizes):
    """One value of the shape for each of `sizes`, by which it is scaled."""
    random, spikes = RandomStream(seed, "latency"), RandomStream(seed, "spikes")
    mean = shape.get("mean_s", 0.01)
    if shape.get("between_sd_s", 0) > 0:
        mean += shape["between_sd_s"] * random.normal()
    rho = shape.get("rho", 0)
    score = random.normal()
    value = quantile_function(shape, mean)
    result = []
    for i, size in enumerate(sizes):
        result.append(value(score) * size * position_factor(shape, i, spikes))
        score = rho * score + math.sqrt(1 - rho * rho) * random.normal()
    return result


def latencies(behaviour, settings, replicate, sizes):
    """One latency for each of `sizes` (a batch's work relative to the mean of its cycle), warm-up first; of requests the
    time to the first token."""
    return draws(behaviour.get("latency", {}), seed_of(behaviour, settings, replicate), sizes)


def decode_steps(behaviour, settings, replicate, count):
    """The times of all further tokens, request after request."""
    seed = derive_seed(seed_of(behaviour, settings, replicate), "steps")
    return draws(behaviour.get("step", {}), seed, [1] * count)
