// What a machine can do at most, as it was measured there: matrix products and memory bandwidth. Cases are held against
// it (docs/metrics.md, `mfu` and `bandwidth_share`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/estimate.h"

namespace transformeter {

/// Bytes a second of STREAM's triad, a = b + s c, on arrays well beyond the caches.
inline constexpr const char* kBandwidthPeak = "bandwidth";
/// Bytes a second of summing up such an array: what a pass that mostly reads weights is held against.
inline constexpr const char* kReadBandwidthPeak = "read_bandwidth";
/// Whether the quantity is one of the two.
bool is_bandwidth(std::string_view quantity);
/// Floating-point operations a second of the best matrix product: "gemm_fp32".
std::string gemm_peak(std::string_view precision);

/// "382 GFLOP/s", "2.31 TOP/s" for integers, "24.8 GB/s"; decimal prefixes, as peaks are quoted.
std::string peak_rate_text(double rate, std::string_view quantity);

/// One kernel on one shape.
struct PeakPoint {
  std::string kernel;  // "linear", "linear_prepacked", "linear_mkl_prepacked", "int_mm", "qlinear_prepacked", "triad",
                       // "copy", "read"
  std::vector<std::int64_t> shape;  // M, K, N of a matrix product; else the bytes of one array, of "read" on the
                                    // CPU also the streams in which each thread reads
  double rate = 0;                  // operations or bytes a second
};

/// The rate is nothing where it cannot be measured, and `reason` says why.
struct Peak {
  std::string quantity;                // gemm_peak(...), kBandwidthPeak or kReadBandwidthPeak
  std::optional<Estimate> rate;        // operations or bytes a second, of `best`
  std::string reason;                  // why there is no rate
  std::optional<PeakPoint> best;       // the point of the rate
  std::vector<PeakPoint> points;       // all that were looked at
  std::vector<std::string> notes;      // facts to know that are not faults
  std::optional<double> foreign_load;  // processors that others kept busy meanwhile (machine/noise.h); CPU only
};

/// True in the peaks of a run and of its cases where a case of the run was faster than the peak; else left out.
inline constexpr const char* kPeakExceeded = "exceeded";

/// A peak holds for one machine, one build of the libraries, one device and one number of threads.
struct PeakPlace {
  std::string fingerprint;  // machine/fingerprint.h
  std::string runtime;      // peak_runtime()
  std::string device;
  int threads = 1;

  bool operator==(const PeakPlace&) const = default;
};

struct PeakRecord {
  PeakPlace place;
  std::string measured_at;  // ISO 8601, UTC
  Peak peak;
};

/// The libraries that decide a peak on that device, from a worker's `build`: "LibTorch 2.15.0, oneDNN 3.13.3"; and what
/// the device is where `build` names it, so that another GPU has peaks of its own.
std::string peak_runtime(const Json& build, const std::string& device);

/// The record of that place and quantity, or null.
const PeakRecord* find_peak(const std::vector<PeakRecord>& records, const PeakPlace& place, std::string_view quantity);

/// What counts of two measurements of the same quantity and place: the higher rate, since whatever disturbs a peak
/// lowers it. The background load is that of the quieter one, which has not exceeded it.
PeakRecord best_of(const PeakRecord& first, const PeakRecord& second);

Json to_json(const Peak& peak);
/// Throws Json::exception for a missing or mistyped field.
Peak peak_from_json(const Json& json);
/// The peak's fields with those of the place beside them.
Json to_json(const PeakRecord& record);

}  // namespace transformeter
