// The tables of metrics and of raw series.
#include "schema/metric_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace transformeter {
namespace {

using enum SeriesScope;

constexpr std::array kMetrics{
    MetricTerm{"latency", "s", "time of one batch, one request (generate) or one step (train)"},
    MetricTerm{"cycle_time", "s", "time of one pass over all batches of the workload"},
    MetricTerm{"undisturbed_latency", "s", "median latency of the samples that got their usual share of CPU time"},
    MetricTerm{"undisturbed_share", "ratio", "share of the samples that undisturbed_latency is made of"},
    MetricTerm{"quiet_latency", "s", "latency that one sample in ten does not exceed"},
    MetricTerm{"throughput_samples", "sample/s", "examples per second"},
    MetricTerm{"time_per_example", "s", "time of an example in its batch: 1 ÷ throughput_samples"},
    MetricTerm{"throughput_useful_tokens", "token/s", "tokens per second without padding"},
    MetricTerm{"throughput_processed_tokens", "token/s", "tokens per second including padding"},
    MetricTerm{"throughput_audio_seconds", "audio s/s", "seconds of sound per second"},
    MetricTerm{"throughput_batches", "batch/s", "batches per second"},
    MetricTerm{"padding_share", "ratio", "share of padding in the processed tokens"},
    MetricTerm{"time_to_first_token", "s", "time from the start of a request to its first new token"},
    MetricTerm{"time_per_output_token", "s", "time of a request's further tokens ÷ their number"},
    MetricTerm{"inter_token_latency", "s", "time from one new token to the next"},
    MetricTerm{"throughput_prefill_tokens", "token/s", "prompt tokens per second up to the first new token"},
    MetricTerm{"throughput_decode_tokens", "token/s", "new tokens per second after the first of each request"},
    MetricTerm{"cache_bytes", "bytes", "size of a request's key-value cache"},
    MetricTerm{"device_time", "s", "time of one batch on the device, by the device's clock"},
    MetricTerm{"host_to_device", "s", "time to copy one batch's inputs to the device, by the device's clock"},
    MetricTerm{"device_to_host", "s", "time to copy one batch's outputs to the host, by the device's clock"},
    MetricTerm{"launch_share", "ratio", "share of the latency that the host spends launching work"},
    MetricTerm{"throughput_back_to_back_samples", "sample/s", "examples per second without waiting between batches"},
    MetricTerm{"throughput_back_to_back_useful_tokens", "token/s",
               "tokens per second without padding, without waiting between batches"},
    MetricTerm{"data_wait", "s", "time a training step waits for its batch, collates it and copies it to the device"},
    MetricTerm{"forward_time", "s", "time of a step's forward passes and losses"},
    MetricTerm{"backward_time", "s", "time of a step's backward passes"},
    MetricTerm{"optimizer_time", "s", "time of a step's gradient norm, clipping and weight update"},
    MetricTerm{"other_time", "s", "rest of a step's time"},
    MetricTerm{"trainable_parameters", "count", "trainable weights, adapters included"},
    MetricTerm{"gradient_bytes", "bytes", "size of all gradients"},
    MetricTerm{"optimizer_bytes", "bytes", "size of the optimizer state"},
    MetricTerm{"activation_bytes", "bytes", "memory that a forward pass keeps for the backward pass"},
    MetricTerm{"activation_bytes_forecast", "bytes", "activation_bytes forecast from the model's configuration"},
    MetricTerm{"loss", "nat", "mean training loss over the last quarter of the steps"},
    MetricTerm{"loss_convergence_rate", "1/step", "decrease of the logarithm of the loss per step"},
    MetricTerm{"gradient_norm", "count", "norm of the gradient before clipping"},
    MetricTerm{"skipped_steps", "count", "steps without a weight update because the gradient was NaN or infinite"},
    MetricTerm{"cost_per_step", "USD", "cost of the machine for the time of a step"},
    MetricTerm{"peak_rss", "bytes", "peak resident memory of the worker during the measurement"},
    MetricTerm{"peak_rss_load", "bytes", "peak resident memory of the worker while loading"},
    MetricTerm{"peak_anonymous", "bytes", "peak anonymous resident memory during the measurement"},
    MetricTerm{"baseline_rss", "bytes", "resident memory of the worker before it loads the model"},
    MetricTerm{"peak_rss_above_baseline", "bytes", "peak_rss minus baseline_rss"},
    MetricTerm{"pss_at_end", "bytes", "proportional set size after the measurement"},
    MetricTerm{"peak_allocated", "bytes", "peak of live tensor memory, without weights mapped from files"},
    MetricTerm{"peak_allocated_forecast", "bytes", "peak_allocated forecast from configuration, texts and engine"},
    MetricTerm{"weight_bytes", "bytes", "size of the model's parameters as they ran"},
    MetricTerm{"load_time", "s", "time to build the model and load its weights"},
    MetricTerm{"tokenize_time", "s",
               "time to read, tokenize (of images and sounds: decode and process) and batch the data set"},
    MetricTerm{"first_forward", "s", "time of the first forward pass"},
    MetricTerm{"cold_start", "s", "time from process start to the first result"},
    MetricTerm{"harness_cost", "s", "overhead of the harness per sample, measured with an empty model"},
    MetricTerm{"page_faults", "count", "minor page faults per batch, for memory newly provided by the kernel"},
    MetricTerm{"foreign_load", "count",
               "average number of the allowed CPUs that other processes kept busy during the measurement"},
    MetricTerm{"peak_reserved", "bytes",
               "peak memory that LibTorch's allocator reserved on the GPU during the measurement"},
    MetricTerm{"device_process_memory", "bytes", "the worker's GPU memory as reported by the driver, polled once"},
    MetricTerm{"accuracy", "ratio", "share of examples whose predicted class is the label"},
    MetricTerm{"macro_f1", "ratio", "unweighted mean of the F1 scores of all classes"},
    MetricTerm{"word_error_rate", "ratio", "edits of the transcripts' words ÷ words of the data set's transcripts"},
    MetricTerm{"character_error_rate", "ratio", "the same for characters"},
    MetricTerm{"log_loss", "nat", "mean of −log of the probability that the model gives each label"},
    MetricTerm{"flops", "flop", "useful floating-point operations per example, by formula"},
    MetricTerm{"throughput_flops", "flop/s", "useful floating-point operations per second"},
    MetricTerm{"mfu", "ratio", "throughput_flops ÷ the measured peak of matrix products"},
    MetricTerm{"hfu", "ratio", "as mfu, including operations on padding"},
    MetricTerm{"skipped_share", "ratio", "share of a full padded pass's operations that the engine left out"},
    MetricTerm{"bandwidth_share", "ratio", "weights read once per forward pass ÷ the measured bandwidth of reading"},
    MetricTerm{"divergence", "ratio", "root mean square difference from the reference outputs ÷ their spread"},
    MetricTerm{"divergence_max", "ratio", "largest difference from the reference outputs ÷ their spread"},
    MetricTerm{"top1_agreement", "ratio", "share of compared rows with the same most likely class as the reference"},
    MetricTerm{"energy", "J/sample", "energy per example"},
    MetricTerm{"energy_net", "J/sample", "energy per example minus idle power"},
    MetricTerm{"energy_per_token", "J/token", "energy per token without padding"},
    MetricTerm{"power_mean", "W", "mean power during the measurement"},
};

constexpr std::array kSeries{
    MetricTerm{"latency", "s", "one value per measured batch, request, step or pass over a cycle, in order", kUnit},
    MetricTerm{"sample_cpu_time", "s", "one value for each of latency: CPU time of the worker", kUnit},
    MetricTerm{"data_wait", "s", "one value per step, as latency", kUnit},
    MetricTerm{"forward_time", "s", "one value per step, as latency", kUnit},
    MetricTerm{"backward_time", "s", "one value per step, as latency", kUnit},
    MetricTerm{"optimizer_time", "s", "one value per step, as latency", kUnit},
    MetricTerm{"loss", "nat", "one value per step, as latency: mean over its labels", kUnit},
    MetricTerm{"gradient_norm", "count", "one value per step, as latency: before clipping", kUnit},
    MetricTerm{"skipped_step", "count", "one value per step, as latency: 1 where no weight changed", kUnit},
    MetricTerm{"useful_step_flops", "flop", "one value per step, as latency: rows at their own lengths", kUnit},
    MetricTerm{"processed_step_flops", "flop", "one value per step, as latency: including padding and recomputation",
               kUnit},
    MetricTerm{"padded_step_flops", "flop", "one value per step, as latency: of all tokens of padded rows", kUnit},
    MetricTerm{"activation_bytes", "bytes", "as the metric"},
    MetricTerm{"activation_bytes_forecast", "bytes", "as the metric"},
    MetricTerm{"peak_allocated_forecast", "bytes", "as the metric"},
    MetricTerm{"trainable_parameters", "count", "as the metric"},
    MetricTerm{"gradient_bytes", "bytes", "as the metric"},
    MetricTerm{"optimizer_bytes", "bytes", "as the metric"},
    MetricTerm{"time_to_first_token", "s", "one value per request, in order", kUnit},
    MetricTerm{"decode_step", "s", "one value per further new token, request by request", kUnit},
    MetricTerm{"cache_bytes", "bytes", "as the metric"},
    MetricTerm{"device_time", "s", "one value per batch or pass, as latency: time on the device, by the device's clock",
               kUnit},
    MetricTerm{"launch_time", "s", "one value per batch, as latency: launching its work, by the host's clock", kUnit},
    MetricTerm{"host_to_device", "s", "one value per batch, as latency: copying its inputs, by the device's clock",
               kUnit},
    MetricTerm{"device_to_host", "s", "one value per batch, as latency: copying its outputs, by the device's clock",
               kUnit},
    MetricTerm{"back_to_back", "s", "one value per sequence of full cycles without waiting, by the device's clock"},
    MetricTerm{"slice_first_sample", "count", "place of each slice's first value in latency, its warm-up included",
               kSlice},
    MetricTerm{"slice_start", "s", "start of each slice's measuring, from the start of the run", kSlice},
    MetricTerm{"slice_round", "count",
               "round of the run in which the slice was measured; slices of two cases in one round form a pair",
               kSlice},
    MetricTerm{"independent_slices", "count",
               "how many of the slices are as good as independent, judged from all cases measured in turn"},
    MetricTerm{"load_time", "s", "as the metric"},
    MetricTerm{"tokenize_time", "s", "as the metric"},
    MetricTerm{"first_forward", "s", "as the metric"},
    MetricTerm{"cold_start", "s", "as the metric"},
    MetricTerm{"harness_cost", "s", "as the metric"},
    MetricTerm{"clock_resolution", "s", "smallest observed step of the steady clock"},
    MetricTerm{"peak_rss", "bytes", "VmHWM after a reset before measuring"},
    MetricTerm{"peak_rss_load", "bytes", "VmHWM after a reset before loading"},
    MetricTerm{"peak_anonymous", "bytes", "VmHWM minus resident file pages after measuring"},
    MetricTerm{"baseline_rss", "bytes", "VmRSS before loading"},
    MetricTerm{"pss_at_end", "bytes", "smaps_rollup after measuring"},
    MetricTerm{"peak_allocated", "bytes", "high-water mark of the counting allocator while measuring"},
    MetricTerm{"weight_bytes", "bytes", "sum over the parameters as they ran"},
    MetricTerm{"window", "s", "length of the measuring window", kSlice},
    MetricTerm{"own_cpu_time", "s", "CPU time of the worker in the window", kSlice},
    MetricTerm{"allowed_cpus", "count", "online CPUs that the worker may use", kSlice},
    MetricTerm{"foreign_cpu_time", "s", "CPU time of other processes on these CPUs in the window", kSlice},
    MetricTerm{"steal_time", "s", "time of these CPUs that the hypervisor gave to other guests", kSlice},
    MetricTerm{"run_queue_wait_time", "s", "time the worker's threads were ready to run but waited for a CPU", kSlice},
    MetricTerm{"involuntary_switches", "count", "involuntary context switches in the window", kSlice},
    MetricTerm{"major_faults", "count", "major page faults in the window", kSlice},
    MetricTerm{"minor_faults", "count", "minor page faults in the window", kSlice},
    MetricTerm{"cpu_time_resolution", "s", "resolution of foreign_cpu_time: the kernel counts in ticks", kSlice},
    MetricTerm{"thermal_throttle_events", "count", "thermal throttle events of these CPUs in the window", kSlice},
    MetricTerm{"quota_throttle_time", "s", "time the container's CPU quota throttled the worker in the window", kSlice},
    MetricTerm{"frequency_before", "Hz", "mean frequency of these CPUs at the start of the window", kSlice},
    MetricTerm{"frequency_after", "Hz", "mean frequency of these CPUs at the end of the window", kSlice},
    MetricTerm{"correct", "count", "examples whose predicted class is the label"},
    MetricTerm{"evaluated", "count", "examples with a label that were evaluated"},
    MetricTerm{"true_class", "class", "label of each evaluated example, in the order of the data set"},
    MetricTerm{"predicted_class", "class", "predicted class of each of them"},
    MetricTerm{"word_edits", "count", "one value per sound with a transcript, in order: edits of its words"},
    MetricTerm{"reference_words", "count", "words of each one's transcript in the data set"},
    MetricTerm{"character_edits", "count", "the same for characters"},
    MetricTerm{"reference_characters", "count", "the same for characters"},
    MetricTerm{"log_loss", "nat", "−log of the probability of each one's label"},
    MetricTerm{"audio_seconds", "s", "one value per batch of the cycle: length of its sounds without padding"},
    MetricTerm{"useful_flops", "flop", "one value per batch of the cycle, rows at their own lengths"},
    MetricTerm{"processed_flops", "flop", "one value per batch of the cycle, including padding"},
    MetricTerm{"padded_flops", "flop", "one value per batch of the cycle: all tokens of padded rows"},
    MetricTerm{"weight_bytes_read", "bytes", "size of the weights that a forward pass reads in full"},
    MetricTerm{"non_finite_outputs", "count", "outputs of the evaluated batches that are NaN or infinite"},
    MetricTerm{"divergence", "ratio", "as the metric"},
    MetricTerm{"divergence_max", "ratio", "as the metric"},
    MetricTerm{"compared_inputs", "count", "inputs whose outputs were compared with the reference's"},
    MetricTerm{"compared_rows", "count", "rows of outputs that were compared"},
    MetricTerm{"agreed_rows", "count", "compared rows with the largest output at the same index"},
    MetricTerm{"peak_reserved", "bytes", "as the metric"},
    MetricTerm{"device_process_memory", "bytes", "as the metric"},
    MetricTerm{"gpu_other_processes", "count",
               "other processes on the GPU before or after measuring, whichever is more", kSlice},
    MetricTerm{"gpu_other_memory", "bytes", "their memory on it after measuring", kSlice},
    MetricTerm{"sm_clock_before", "Hz", "clock of the GPU's multiprocessors before measuring", kSlice},
    MetricTerm{"sm_clock_after", "Hz", "the same right after the last sample", kSlice},
    MetricTerm{"sm_clock_max", "Hz", "maximum clock of the GPU's multiprocessors", kSlice},
    MetricTerm{"memory_clock_after", "Hz", "clock of the GPU's memory right after the last sample", kSlice},
    MetricTerm{"gpu_temperature_before", "celsius", "before measuring", kSlice},
    MetricTerm{"gpu_temperature_after", "celsius", "right after the last sample", kSlice},
    MetricTerm{"gpu_power_after", "W", "as NVML gives it right after the last sample", kSlice},
    MetricTerm{"gpu_utilization_after", "ratio", "share of NVML's last sampling period in which a kernel ran", kSlice},
    MetricTerm{"gpu_throttle_reasons_before", "bits", "NVML's clocks event reasons before measuring", kSlice},
    MetricTerm{"gpu_throttle_reasons_after", "bits", "the same right after the last sample", kSlice},
    MetricTerm{"gpu_thermal_violation_time", "s", "time the GPU was throttled by its temperature", kSlice},
    MetricTerm{"gpu_power_violation_time", "s", "time the GPU was throttled by its power limit", kSlice},
    MetricTerm{"energy_counted", "J", "energy counted during the samples", kSlice},
    MetricTerm{"energy_window", "s", "time between its two readings", kSlice},
    MetricTerm{"energy_counter_period", "s", "time between two updates of the counter"},
    MetricTerm{"idle_power", "W", "power of the idle machine before the run's first worker"},
};

constexpr std::array kComparisons{
    MetricTerm{"speed_up", "ratio", "baseline time ÷ candidate time"},
    MetricTerm{"time_saved", "ratio", "1 − candidate time ÷ baseline time"},
    MetricTerm{"memory_saved", "ratio", "as time_saved, for peak resident memory above that at process start"},
    MetricTerm{"anonymous_memory_saved", "ratio", "as time_saved, for peak anonymous memory"},
    MetricTerm{"tensor_memory_saved", "ratio", "as time_saved, for peak tensor memory"},
};

const MetricTerm& find(std::span<const MetricTerm> terms, std::string_view kind, std::string_view name) {
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const MetricTerm& t) { return t.name == name; });
  if (found == terms.end()) {
    throw Error(ErrorKind::kInternal,
                fmt::format("{} '{}' is not declared in src/shared/schema/metric_names.cpp", kind, name));
  }
  return *found;
}

}  // namespace

std::span<const MetricTerm> metric_terms() {
  return kMetrics;
}
std::span<const MetricTerm> series_terms() {
  return kSeries;
}
std::span<const MetricTerm> comparison_terms() {
  return kComparisons;
}
const MetricTerm& comparison_term(std::string_view name) {
  return find(kComparisons, "comparison", name);
}
const MetricTerm& metric_term(std::string_view name) {
  return find(kMetrics, "metric", name);
}
const MetricTerm& series_term(std::string_view name) {
  return find(kSeries, "series", name);
}

SeriesScope scope_of(std::string_view series) {
  const auto found =
      std::find_if(kSeries.begin(), kSeries.end(), [&](const MetricTerm& term) { return term.name == series; });
  return found == kSeries.end() ? SeriesScope::kProcess : found->scope;
}

}  // namespace transformeter
