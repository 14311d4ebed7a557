// The tables of metrics and of raw series.
#include "terms/metric_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace transformeter {
namespace {

constexpr std::array kMetrics{
    MetricTerm{"latency", "s",
               "time of one batch through the model, of one request of generate, or of one step of train"},
    MetricTerm{"cycle_time", "s", "time of one pass over all batches of the workload"},
    MetricTerm{"throughput_samples", "1/s", "examples per second"},
    MetricTerm{"throughput_useful_tokens", "1/s", "tokens per second, padding not counted"},
    MetricTerm{"throughput_processed_tokens", "1/s", "tokens per second, padding counted"},
    MetricTerm{"padding_share", "ratio", "padding among the processed tokens"},
    MetricTerm{"time_to_first_token", "s", "start of a request to its first new token"},
    MetricTerm{"time_per_output_token", "s", "time of a request's further tokens, for each of them"},
    MetricTerm{"inter_token_latency", "s", "time from one new token to the next"},
    MetricTerm{"throughput_prefill_tokens", "1/s", "tokens of prompts per second until their first new token"},
    MetricTerm{"throughput_decode_tokens", "1/s", "new tokens per second after the first of each request"},
    MetricTerm{"cache_bytes", "bytes", "bytes of a request's key-value cache"},
    MetricTerm{"device_time", "s", "time of one batch's pass by the device's own clock"},
    MetricTerm{"host_to_device", "s", "time of the copy of one batch's inputs to the device, by its clock"},
    MetricTerm{"device_to_host", "s", "time of the copy of one batch's outputs to the host, by the device's clock"},
    MetricTerm{"launch_share", "ratio", "time the host took to hand over the passes, among the latency"},
    MetricTerm{"throughput_back_to_back_samples", "1/s", "examples per second without waiting between batches"},
    MetricTerm{"throughput_back_to_back_useful_tokens", "1/s", "tokens per second likewise, padding not counted"},
    MetricTerm{"data_wait", "s", "time a step of train waited for its texts and put them in place"},
    MetricTerm{"forward_time", "s", "time of a step's forward passes and losses"},
    MetricTerm{"backward_time", "s", "time of a step's backward passes"},
    MetricTerm{"optimizer_time", "s", "time of a step's gradient norm, clipping and new weights"},
    MetricTerm{"other_time", "s", "what these leave of a step's time"},
    MetricTerm{"gradient_bytes", "bytes", "bytes of the gradients of all weights"},
    MetricTerm{"optimizer_bytes", "bytes", "bytes of the optimizer's state"},
    MetricTerm{"activation_bytes", "bytes", "what a forward pass of train leaves alive for its backward pass"},
    MetricTerm{"activation_bytes_forecast", "bytes", "the same by the formula, from the model's configuration"},
    MetricTerm{"peak_allocated_forecast", "bytes", "peak_allocated of train by the formula"},
    MetricTerm{"loss", "nat", "mean training loss over the last quarter of the steps"},
    MetricTerm{"loss_convergence_rate", "1/step", "how fast the logarithm of the loss falls"},
    MetricTerm{"gradient_norm", "count", "length of the gradient of all weights before clipping"},
    MetricTerm{"skipped_steps", "count", "steps that changed no weight, as their gradient was not finite"},
    MetricTerm{"cost_per_step", "USD", "what the machine costs in the time of a step"},
    MetricTerm{"peak_rss", "bytes", "largest resident memory of the worker while measuring"},
    MetricTerm{"peak_rss_load", "bytes", "largest resident memory of the worker while loading"},
    MetricTerm{"peak_anonymous", "bytes", "largest anonymous resident memory while measuring"},
    MetricTerm{"baseline_rss", "bytes", "resident memory of the worker before it loads the model"},
    MetricTerm{"peak_rss_above_baseline", "bytes", "peak_rss less baseline_rss"},
    MetricTerm{"pss_at_end", "bytes", "proportional resident memory after measuring"},
    MetricTerm{"peak_allocated", "bytes", "largest sum of live tensor memory, weights mapped from files not counted"},
    MetricTerm{"weight_bytes", "bytes", "bytes of the model's parameters as they ran"},
    MetricTerm{"load_time", "s", "time to build the model and have its weights ready"},
    MetricTerm{"tokenize_time", "s", "time to read, tokenise and batch the data set"},
    MetricTerm{"first_forward", "s", "time of the first forward pass"},
    MetricTerm{"cold_start", "s", "process start to first result, in a fresh process"},
    MetricTerm{"harness_cost", "s", "the harness's own cost per sample, measured with a null model"},
    MetricTerm{"page_faults", "count",
               "page faults per batch that needed no disk: memory that the kernel handed out anew"},
    MetricTerm{"foreign_load", "count", "processors that other processes kept busy in the window, on average"},
    MetricTerm{"peak_reserved", "bytes", "largest memory that LibTorch's allocator took from the GPU while measuring"},
    MetricTerm{"device_process_memory", "bytes", "the worker's memory on the GPU as its driver shows it, polled once"},
    MetricTerm{"accuracy", "ratio", "share of examples whose predicted class is the label"},
    MetricTerm{"macro_f1", "ratio", "mean of the classes' F1"},
    MetricTerm{"flops", "flop", "useful floating-point operations per example, by formula"},
    MetricTerm{"throughput_flops", "flop/s", "useful floating-point operations per second"},
    MetricTerm{"mfu", "ratio", "throughput_flops among the measured peak of matrix products"},
    MetricTerm{"hfu", "ratio", "the same with the operations on padding"},
    MetricTerm{"bandwidth_share", "ratio", "weights read once a forward pass, among the measured memory bandwidth"},
    MetricTerm{"divergence", "ratio", "root mean square difference from the reference's outputs, over their spread"},
    MetricTerm{"divergence_max", "ratio", "largest difference from the reference's outputs, over their spread"},
    MetricTerm{"top1_agreement", "ratio", "share of compared rows whose most likely class is the reference's"},
    MetricTerm{"energy", "J", "energy per example"},
    MetricTerm{"energy_net", "J", "energy per example less what the idle machine takes"},
    MetricTerm{"energy_per_token", "J", "energy per token, padding not counted"},
    MetricTerm{"power_mean", "W", "energy of the measuring window per second"},
};

constexpr std::array kSeries{
    MetricTerm{"latency", "s", "one value per measured batch, request of generate, or step of train, in order"},
    MetricTerm{"data_wait", "s", "one value per step, as latency"},
    MetricTerm{"forward_time", "s", "one value per step, as latency"},
    MetricTerm{"backward_time", "s", "one value per step, as latency"},
    MetricTerm{"optimizer_time", "s", "one value per step, as latency"},
    MetricTerm{"loss", "nat", "one value per step, as latency: mean over its labels"},
    MetricTerm{"gradient_norm", "count", "one value per step, as latency: before clipping"},
    MetricTerm{"skipped_step", "count", "one value per step, as latency: 1 where no weight changed"},
    MetricTerm{"useful_step_flops", "flop", "one value per step, as latency: of its rows at their own lengths"},
    MetricTerm{"processed_step_flops", "flop",
               "one value per step, as latency: with padding and what is computed twice"},
    MetricTerm{"activation_bytes", "bytes", "as the metric"},
    MetricTerm{"activation_bytes_forecast", "bytes", "as the metric"},
    MetricTerm{"peak_allocated_forecast", "bytes", "as the metric"},
    MetricTerm{"gradient_bytes", "bytes", "as the metric"},
    MetricTerm{"optimizer_bytes", "bytes", "as the metric"},
    MetricTerm{"time_to_first_token", "s", "one value per request, in order"},
    MetricTerm{"decode_step", "s", "one value per further new token, request by request"},
    MetricTerm{"cache_bytes", "bytes", "as the metric"},
    MetricTerm{"device_time", "s", "one value per batch, as latency: its pass by the device's clock"},
    MetricTerm{"launch_time", "s", "one value per batch, as latency: handing its pass over, by the host's clock"},
    MetricTerm{"host_to_device", "s", "one value per batch, as latency: copying its inputs, by the device's clock"},
    MetricTerm{"device_to_host", "s", "one value per batch, as latency: copying its outputs, by the device's clock"},
    MetricTerm{"back_to_back", "s", "one value per run of whole cycles without waiting, by the device's clock"},
    MetricTerm{"load_time", "s", "as the metric"},
    MetricTerm{"tokenize_time", "s", "as the metric"},
    MetricTerm{"first_forward", "s", "as the metric"},
    MetricTerm{"cold_start", "s", "as the metric"},
    MetricTerm{"harness_cost", "s", "as the metric"},
    MetricTerm{"clock_resolution", "s", "smallest step of the steady clock seen"},
    MetricTerm{"peak_rss", "bytes", "VmHWM after a reset before measuring"},
    MetricTerm{"peak_rss_load", "bytes", "VmHWM after a reset before loading"},
    MetricTerm{"peak_anonymous", "bytes", "VmHWM less the resident file pages after measuring"},
    MetricTerm{"baseline_rss", "bytes", "VmRSS before loading"},
    MetricTerm{"pss_at_end", "bytes", "smaps_rollup after measuring"},
    MetricTerm{"peak_allocated", "bytes", "high-water mark of the counting allocator while measuring"},
    MetricTerm{"weight_bytes", "bytes", "sum over the parameters as they ran"},
    MetricTerm{"window", "s", "length of the measuring window"},
    MetricTerm{"own_cpu_time", "s", "processor time of the worker in the window"},
    MetricTerm{"foreign_cpu_time", "s", "processor time of other processes in the window, steal included"},
    MetricTerm{"run_queue_wait_time", "s", "time the worker's threads were ready to run and had no processor"},
    MetricTerm{"involuntary_switches", "count", "involuntary context switches in the window"},
    MetricTerm{"major_faults", "count", "page faults that needed the disk in the window"},
    MetricTerm{"minor_faults", "count", "page faults that did not need the disk in the window"},
    MetricTerm{"cpu_time_resolution", "s", "below this foreign_cpu_time means nothing: the kernel counts in ticks"},
    MetricTerm{"thermal_throttle_events", "count", "thermal throttle events in the window"},
    MetricTerm{"quota_throttle_time", "s", "time the container's CPU quota held the worker back in the window"},
    MetricTerm{"frequency_before", "Hz", "mean processor frequency when the window began"},
    MetricTerm{"frequency_after", "Hz", "mean processor frequency when the window ended"},
    MetricTerm{"correct", "count", "examples whose predicted class is the label"},
    MetricTerm{"evaluated", "count", "examples with a label that were evaluated"},
    MetricTerm{"true_class", "class", "label of each evaluated example, in the order of the data set"},
    MetricTerm{"predicted_class", "class", "answer to each of them"},
    MetricTerm{"useful_flops", "flop", "of each batch of the cycle, each row at its own length"},
    MetricTerm{"processed_flops", "flop", "of each batch of the cycle, padding counted"},
    MetricTerm{"weight_bytes_read", "bytes", "weights that a forward pass reads whole"},
    MetricTerm{"non_finite_outputs", "count", "outputs of the evaluated batches that are NaN or infinite"},
    MetricTerm{"divergence", "ratio", "as the metric"},
    MetricTerm{"divergence_max", "ratio", "as the metric"},
    MetricTerm{"compared_inputs", "count", "inputs whose outputs were compared with the reference's"},
    MetricTerm{"compared_rows", "count", "rows of outputs that were compared"},
    MetricTerm{"agreed_rows", "count", "those of them whose largest output is at the same place"},
    MetricTerm{"peak_reserved", "bytes", "as the metric"},
    MetricTerm{"device_process_memory", "bytes", "as the metric"},
    MetricTerm{"gpu_other_processes", "count",
               "other processes on the GPU, before or after measuring, the more of both"},
    MetricTerm{"gpu_other_memory", "bytes", "their memory on it after measuring"},
    MetricTerm{"sm_clock_before", "Hz", "clock of the GPU's multiprocessors before measuring"},
    MetricTerm{"sm_clock_after", "Hz", "the same right after the last sample"},
    MetricTerm{"sm_clock_max", "Hz", "the highest that the GPU has"},
    MetricTerm{"memory_clock_after", "Hz", "clock of the GPU's memory right after the last sample"},
    MetricTerm{"gpu_temperature_before", "celsius", "before measuring"},
    MetricTerm{"gpu_temperature_after", "celsius", "right after the last sample"},
    MetricTerm{"gpu_power_after", "W", "as NVML gives it right after the last sample"},
    MetricTerm{"gpu_utilization_after", "ratio", "share of NVML's last sampling period in which a kernel ran"},
    MetricTerm{"gpu_throttle_reasons_before", "bits", "NVML's clocks event reasons before measuring"},
    MetricTerm{"gpu_throttle_reasons_after", "bits", "the same right after the last sample"},
    MetricTerm{"gpu_thermal_violation_time", "s", "time in which heat held the GPU below its application clocks"},
    MetricTerm{"gpu_power_violation_time", "s", "the same of its power limit"},
    MetricTerm{"energy_counted", "J", "what the case's energy counter counted around the samples"},
    MetricTerm{"energy_window", "s", "time between its two readings"},
    MetricTerm{"energy_counter_period", "s", "time between two updates of the counter"},
    MetricTerm{"idle_power", "W", "what the counter says of the machine before the run's first worker"},
};

constexpr std::array kComparisons{
    MetricTerm{"speed_up", "ratio", "time of the baseline over time of the candidate"},
    MetricTerm{"time_saved", "ratio", "1 less time of the candidate over time of the baseline"},
    MetricTerm{"memory_saved", "ratio", "the same of peak resident memory above the process's start"},
    MetricTerm{"anonymous_memory_saved", "ratio", "the same of peak anonymous memory"},
    MetricTerm{"tensor_memory_saved", "ratio", "the same of peak tensor memory"},
};

const MetricTerm& find(std::span<const MetricTerm> terms, std::string_view kind, std::string_view name) {
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const MetricTerm& t) { return t.name == name; });
  if (found == terms.end()) {
    throw Error(ErrorKind::kInternal, fmt::format("{} '{}' is not declared in src/terms/metric_names.cpp", kind, name));
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

}  // namespace transformeter
