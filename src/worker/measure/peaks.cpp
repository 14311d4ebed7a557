// Chooses what to measure, and watches what else the machine did meanwhile.
#include "measure/peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "device/device.h"
#include "device/runtime.h"
#include "machine/noise.h"
#include "machine/process_memory.h"
#include "machine/topology.h"
#include "measure/bandwidth_peak.h"
#include "measure/gemm_peak.h"
#include "measure/own_pids.h"

namespace transformeter {
namespace {

constexpr std::string_view kGemmPrefix = "gemm_";
constexpr std::int64_t kUnknownMemoryBytes = std::int64_t{1} << 30;

Peak bandwidth(bool only_reads, Device& device, const Clock& clock) {
  if (device.name() != "cpu") {
    return only_reads ? measure_gpu_read_bandwidth_peak(clock, device) : measure_gpu_bandwidth_peak(clock, device);
  }
  BandwidthOptions options;
  options.array = stream_array_size(describe_topology(), available_memory_bytes().value_or(kUnknownMemoryBytes));
  return only_reads ? measure_read_bandwidth_peak(clock, options) : measure_bandwidth_peak(clock, options);
}

Peak measured(const std::string& quantity, Device& device, const Clock& clock) {
  if (is_bandwidth(quantity)) return bandwidth(quantity == kReadBandwidthPeak, device, clock);
  if (quantity.starts_with(kGemmPrefix)) {
    const std::string precision = quantity.substr(kGemmPrefix.size());
    allow_tf32(precision == "tf32");
    return measure_gemm_peak(clock, device, precision);
  }
  throw Error(ErrorKind::kProtocol, fmt::format("unknown peak '{}'", quantity));
}

}  // namespace

Peak measure_peak(const MeasurePeakRequest& request, const Clock& clock) {
  const std::unique_ptr<Device> device = make_device(request.device);
  const std::vector<pid_t> own = own_pids(request.own_pids);
  const NoiseSnapshot before = take_noise_snapshot(own, clock);
  Peak peak = measured(request.quantity, *device, clock);
  // Processors that others keep busy do not slow a GPU down.
  if (device->name() == "cpu") {
    peak.foreign_load = foreign_processors(noise_between(before, take_noise_snapshot_again(before, clock)));
  }
  return peak;
}

}  // namespace transformeter
