// How the fake worker behaves: read from JSON, so that a test can say it in an environment variable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "schema/status.h"

namespace transformeter {

/// The environment variable that holds the JSON of a Behaviour.
inline constexpr const char* kFakeWorkerVariable = "TRANSFORMETER_FAKE_WORKER";

/// A draw of the kind, times what the position in the series adds: ramp, drift, steps, spikes. Draws are the quantile
/// function of the kind at a stationary Gaussian AR(1) process, so that marginal and correlation are both known.
struct LatencyShape {
  enum class Kind { kConstant, kNormal, kLognormal, kGamma, kBimodal };
  struct Step {
    std::int64_t at = 0;  // sample from which on, warm-up counted
    double factor = 1;    // of the level before the first step
  };
  Kind kind = Kind::kConstant;      // "ar1" is another word for "normal"
  double mean_s = 0.01;             // of the values, for every kind
  double sd_s = 0;                  // of the values; bimodal: within each mode
  double rho = 0;                   // correlation of neighbouring normal scores; for normal of the values themselves
  double slow_share = 0.3;          // bimodal: of samples in the slow mode ...
  double slow_factor = 1.2;         // ... whose mean is this many times the fast one's
  double between_sd_s = 0;          // of the mean, from one worker to the next
  double drift_per_sample = 0;      // share of the mean added with each sample
  std::int64_t warmup_samples = 0;  // slow first samples, ...
  double warmup_factor = 1;         // ... the first this much, falling linearly to 1
  std::vector<Step> steps;          // [[at, factor], ...], as of a processor that is throttled
  std::int64_t spike_every = 0;     // 0: none
  double spike_rate = 0;            // probability of a spike at each sample
  double spike_factor = 1;
};

struct Fault {
  enum class Kind {
    kHang,          // never answers
    kCrash,         // dies by `signal`
    kExit,          // exits with `code`
    kGarbage,       // bytes that are no message
    kOtherVersion,  // a frame of another protocol version
    kMalformed,     // a frame whose header is broken JSON
    kFailed,        // answers `failed` with `status` and `reason`
    kEatMemory,     // allocates and touches `bytes`, then hangs; `failed` out_of_memory when it gets none
    kClose,         // closes the connection and exits with 0
    kDelay,         // waits `seconds`, then goes on
  };
  Kind kind = Kind::kHang;
  std::string at;                  // verb at which it strikes; "hello": before greeting
  std::int64_t after_samples = 0;  // for "measure": once so many samples were sent; for "predict": inputs answered; for
                                   // "measure_peak": peaks given; for "evaluate": evaluations given
  int signal = 11;
  int code = 1;
  Status status = Status::kFailed;
  std::string reason = "a fault was asked for";
  std::int64_t bytes = std::int64_t{1} << 30;
  double seconds = 1;
  std::string once;                      // a path: strikes only where that file is missing, and makes it
  std::vector<std::int64_t> replicates;  // strikes only in these, from prepare on; needs `replicate_folder`. Empty: all
};

/// What this worker answers to its inputs 0, 1, 2, …: +1 and −1 in turn, off by `error`. The spread between n rows, an
/// even number, is √(n ÷ (n − 1)), so that the divergence of a case from its reference is known.
struct FakeOutputs {
  std::int64_t inputs = 0;  // 0: it gives none, and says so in `describe`
  std::int64_t width = 2;
  double error = 0;           // added to every value
  double unmasked_error = 0;  // added instead where the mask is to be off; as `error` unless said
};

struct Behaviour {
  std::uint64_t seed = 0;
  bool vary = false;             // each worker draws its own values, from the time it was started
  std::string replicate_folder;  // where workers of one case count themselves; each then draws its own values, the same
                                 // ones every time
  LatencyShape latency;          // of a batch; of a request the time to the first token
  LatencyShape step;             // of each further token of a request
  bool rule = false;             // stops as transformeter-worker does (stats/stopping_rule.h), with fake time
  std::int64_t samples = 20;     // measured when no count is asked for and `rule` is off
  std::int64_t warm_passes = 0;  // samples before measuring when no count is asked for; 0: 3, or the ramp's
  std::int64_t block = 32;       // samples a message
  double pace_s = 0;             // real time a sample takes
  double cpu_time_s = 0;         // CPU time of each sample, however long it takes; 0: not counted
  std::int64_t cycle_batches = 4;   // K for natural lengths
  Json capabilities;                // null: a small CPU's
  Json effective = Json::object();  // laid over what prepare reports, and the kernel that warm does
  Json scalars = Json::object();    // series name to value; null leaves the series out
  Json peaks = Json::object();      // as fake_peak's overrides
  FakeOutputs outputs;
  bool profiles = true;      // false: it gives none, as workers of earlier versions
  bool gpu_profile = false;  // as of a GPU
  bool old_profile = false;  // as of a worker that counts no events
  std::vector<Fault> faults;
};

/// `json` as {"seed", "latency": {"kind", "mean_s", ...}, "faults": [{"kind", "at", ...}], ...} with the names above.
/// "cases": [{"when": {setting: value}, ...}] lays further keys over the rest for matching `settings` (a JSON merge
/// patch), so that one variable makes the cases of a run differ. Throws Error(kBadInput) for unknown keys and values.
Behaviour parse_behaviour(const Json& json, const Json& settings = Json::object());

}  // namespace transformeter
