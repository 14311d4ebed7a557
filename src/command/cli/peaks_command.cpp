// `transformeter peaks`: this machine's peaks, measured once and kept with the results.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "machine/cpu_list.h"
#include "machine/environment.h"
#include "metrics/case_metrics.h"
#include "metrics/disturbed_peak.h"
#include "run/cores.h"
#include "run/launcher.h"
#include "run/peaks.h"
#include "schema/peak.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "store/peak_store.h"

namespace transformeter {
namespace {

std::string name_text(const std::string& quantity) {
  if (quantity == kReadBandwidthPeak) return "memory bandwidth, reading";
  return quantity == kBandwidthPeak ? "memory bandwidth" : "matrix products, " + quantity.substr(5);
}

std::string rate_cell(const Peak& peak) {
  if (!peak.rate) return "-";
  std::string text = peak_rate_text(peak.rate->value, peak.quantity);
  if (const auto half_width = relative_half_width(*peak.rate)) text.append(" ").append(format_half_width(*half_width));
  return text;
}

std::string kernel_cell(const Peak& peak) {
  if (!peak.best) return peak.reason;
  if (!is_bandwidth(peak.quantity)) return fmt::format("{} {}", peak.best->kernel, fmt::join(peak.best->shape, "×"));
  const std::string size = format_bytes(static_cast<double>(peak.best->shape.front()));
  if (peak.quantity == kReadBandwidthPeak) return fmt::format("sum of an array of {}", size);
  std::string text = fmt::format("triad, arrays of {}", size);
  for (const PeakPoint& point : peak.points) {
    if (point.kernel == "copy") text += fmt::format("; copy {}", peak_rate_text(point.rate, peak.quantity));
  }
  return text;
}

// One line for each thing to know, however many peaks it is about.
std::vector<std::string> note_lines(const std::vector<PeakRecord>& records) {
  std::set<std::string> notes;
  double load = 0;
  for (const PeakRecord& record : records) {
    notes.insert(record.peak.notes.begin(), record.peak.notes.end());
    load = std::max(load, record.peak.foreign_load.value_or(0));
  }
  std::vector<std::string> lines;
  for (const std::string& note : notes) lines.push_back("note: " + note);
  if (is_disturbed_peak(load)) {
    lines.push_back(fmt::format(
        "doubtful: background load kept up to {:.2f} processors busy; the true peaks are higher. Measure again "
        "with --force on a quiet machine",
        load));
  }
  return lines;
}

// A row for each peak, then what is to be known of them; `records` are of one machine.
std::string peaks_table(const std::vector<PeakRecord>& records, const std::string& store) {
  std::vector<std::vector<std::string>> rows;
  for (const PeakRecord& record : records) {
    rows.push_back({std::to_string(record.place.threads), name_text(record.peak.quantity), rate_cell(record.peak),
                    kernel_cell(record.peak), record.measured_at.substr(0, 16)});
  }
  std::string text = text_table({{"threads", true}, {"peak"}, {"rate", true}, {"best by"}, {"measured (UTC)"}}, rows);
  for (const std::string& line : note_lines(records)) text += line + "\n";
  if (records.empty()) return text;
  const PeakPlace& place = records.front().place;
  return text + fmt::format("host {}, {}, in {}\n", place.fingerprint, place.runtime, store);
}

// {"peaks": [...]}, every point with it.
std::string peaks_json(const std::vector<PeakRecord>& records) {
  Json peaks = Json::array();
  for (const PeakRecord& record : records) peaks.push_back(to_json(record));
  return Json{{"peaks", std::move(peaks)}}.dump(2) + "\n";
}

const std::vector<std::string> kFormats{"table", "json"};
constexpr Seconds kWorkerTimeout{600};  // first touching gigabytes takes long on a busy machine

constexpr UsageExample kExamples[] = {
    {"transformeter peaks",
     "matrix products in every precision of the processor, and memory bandwidth, on all cores and on one; takes about "
     "ten seconds on a quiet machine"},
    {"transformeter peaks --store results.db", "the second time read from the store, without measuring"},
    {"transformeter peaks --threads auto,1 --precision fp32 --force"},
    {"transformeter peaks --format json", "with every kernel and shape tried"},
};
constexpr const char* kNotes[] = {
    "Runs in the same store then report mfu, hfu, bandwidth_share and what bounds them; docs/metrics.md defines these. "
    "Stop other work first: a peak that is too low makes every share too high.",
    "Exit codes: 0 done, 3 bad input or no worker, 130 interrupted.",
};

// What the worker declares of products on the device, or of precisions.
std::vector<std::string> declared(const std::map<std::string, std::vector<std::string>>& table,
                                  const std::string& device) {
  const std::string kind = device.substr(0, device.find(':'));
  for (const std::string& name : {"peak_precision@" + kind, std::string("peak_precision"), std::string("precision")}) {
    const auto row = table.find(name);
    if (row != table.end()) return row->second;
  }
  return {};
}

// "auto": those with units or instructions of their own.
std::vector<std::string> chosen_precisions(const Capabilities& capabilities, const std::string& device,
                                           const std::string& wanted) {
  const std::vector<std::string> known = declared(capabilities.values, device);
  if (wanted == "auto") {
    const std::vector<std::string> native = declared(capabilities.native, device);
    return native.empty() ? known : native;
  }
  std::vector<std::string> precisions = split(wanted, ',');
  for (std::string& precision : precisions) {
    precision = std::string(trim(precision));
    if (std::find(known.begin(), known.end(), precision) != known.end()) continue;
    const auto reason = capabilities.reasons.find("precision=" + precision);
    if (reason == capabilities.reasons.end()) throw unknown_value("precision", precision, known);
    throw Error(ErrorKind::kUnsupported, fmt::format("precision {}: {}", precision, reason->second));
  }
  return precisions;
}

std::string chosen_device(const Capabilities& capabilities, const std::string& wanted) {
  if (wanted.find(',') != std::string::npos) {
    throw bad_value("device", wanted, "one device, or auto", "Run `peaks` once per device.");
  }
  const Json device = parse_setting(setting_term("device"), wanted);
  if (device == "auto") return capabilities.best_device();
  auto name = device.get<std::string>();
  if (const auto reason = capabilities.why_not("device", name)) {
    throw Error(ErrorKind::kUnsupported, fmt::format("device {}: {}", name, *reason));
  }
  return name;
}

std::vector<int> chosen_threads(const std::string& wanted) {
  std::vector<int> threads;
  for (const std::string& text : split(wanted, ',')) {
    const Json value = parse_setting(setting_term("threads"), text);
    const int count = value == "auto" ? available_cores(allowed_cpus()) : value.get<int>();
    if (std::find(threads.begin(), threads.end(), count) == threads.end()) threads.push_back(count);
  }
  return threads;
}

Json this_machine(const Context& context) {
  EnvironmentOptions options;
  options.program_version = std::string(program_version());
  return capture_environment(options, context.clock);
}

class PeaksCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "peaks",
            .task = CommandTask::kMachine,
            .summary = "measure this machine's peak compute and memory bandwidth, and store them",
            .options = {{.names = {"--threads"},
                         .target = &threads_,
                         .placeholder = "N|auto,...",
                         .help = "numbers of threads; auto: the physical cores",
                         .initial = threads_,
                         .is_list = true},
                        {.names = {"--precision"},
                         .target = &precision_,
                         .placeholder = "PRECISION|auto,...",
                         .help = "number formats; auto: those the processor computes natively",
                         .initial = precision_,
                         .is_list = true},
                        {.names = {"--device"},
                         .target = &device_,
                         .placeholder = "DEVICE|auto",
                         .help = "device to measure; auto: the best one that the worker supports",
                         .initial = device_},
                        {.names = {"--force"}, .target = &force_, .help = "measure again what is already stored"},
                        worker_option(worker_),
                        store_option(store_),
                        format_option(format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    const std::vector<int> threads = chosen_threads(threads_);
    const PeakWorkerOptions options =
        peak_worker_options(context, find_worker(context, worker_), kWorkerTimeout, &interrupt);
    const Described worker = described_worker(context, options);
    const std::string device = chosen_device(worker.capabilities, device_);
    std::vector<std::string> quantities;
    for (const std::string& precision : chosen_precisions(worker.capabilities, device, precision_)) {
      quantities.push_back(gemm_peak(precision));
    }
    quantities.emplace_back(kBandwidthPeak);
    quantities.emplace_back(kReadBandwidthPeak);
    const Json environment = this_machine(context);
    const std::unique_ptr<PeakStore> store = open_peak_store(store_, context.log);
    std::vector<PeakRecord> shown;
    for (const int count : device == "cpu" ? threads : std::vector{1}) {
      const PeakPlace place = peak_place(environment, worker.build, device, count);
      measure_missing_peaks(context, *store, options, {place, quantities, force_});
      const std::vector<PeakRecord> known = store->list();
      for (const std::string& quantity : quantities) shown.push_back(*find_peak(known, place, quantity));
    }
    write_standard_output(format_ == "json" ? peaks_json(shown) : peaks_table(shown, store_));
    return kExitOk;
  }

 private:
  std::string threads_ = "auto,1";
  std::string precision_ = "auto";
  std::string device_ = "auto";
  std::string worker_;
  std::string store_;
  std::string format_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_peaks_command() {
  return std::make_unique<PeaksCommand>();
}

}  // namespace transformeter
