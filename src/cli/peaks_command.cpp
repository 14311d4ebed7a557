// `transformeter peaks`: what this machine can do at most, measured once and kept with the results.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/peaks_table.h"
#include "cli/standard_output.h"
#include "host/cpu_list.h"
#include "host/environment.h"
#include "run/cores.h"
#include "run/launcher.h"
#include "run/peaks.h"
#include "store/peak_store.h"
#include "terms/settings.h"
#include "terms/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json"};
constexpr Seconds kLongestSilence{600};  // first touching gigabytes takes long on a busy machine

constexpr const char* kExamples = R"(Examples:
  transformeter peaks
      matrix products in every precision the processor has, and memory
      bandwidth, with all cores and with one; some ten seconds
  transformeter peaks --store results.db
      a second time these are read from the store, and nothing is measured
  transformeter peaks --threads auto,1 --precision fp32 --force
  transformeter peaks --format json
      with every kernel and shape that was tried

A run in the same store then gets mfu, hfu, bandwidth_share and its bound;
docs/metrics.md says what they mean. End other work first: a peak that is too
low makes every share too high.
Exit codes: 0 done, 3 bad input or no worker, 130 interrupted.)";

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
    throw bad_value("device", wanted, "one device, or auto", "Ask once for each device.");
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
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("peaks", "measure what this machine can do at most, and keep it");
    add(*app, "--threads", threads_, "threads, a comma list; auto: the physical cores [auto,1]", "N|auto", true);
    add(*app, "--precision", precision_, "precisions, a comma list; auto: those the processor has [auto]", "P|auto",
        true);
    add(*app, "--device", device_, "where to measure; auto: the best device the worker has [auto]", "DEVICE|auto",
        false);
    app->add_flag("--force", force_, "measure again what is in the store");
    const SettingTerm& worker = setting_term("worker");
    describe_values(*app->add_option("--worker", worker_, std::string(worker.help)), worker);
    add(*app, "--store", store_, "the results database [transformeter.db]", "PATH", false);
    add_format_option(*app, format_, kFormats);
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    const std::vector<int> threads = chosen_threads(threads_);
    const PeakWorkerOptions options =
        peak_worker_options(context, find_worker(context, worker_), kLongestSilence, &interrupt);
    const Described worker = described_worker(context, options);
    const std::string device = chosen_device(worker.capabilities, device_);
    std::vector<std::string> quantities;
    for (const std::string& precision : chosen_precisions(worker.capabilities, device, precision_)) {
      quantities.push_back(gemm_peak(precision));
    }
    quantities.emplace_back(kBandwidthPeak);
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
  static void add(CLI::App& app, const char* flag, std::string& value, const char* help, const char* placeholder,
                  bool is_list) {
    OptionValues values;
    values.list = is_list;
    describe_values(*app.add_option(flag, value, help), placeholder, values);
  }

  std::string threads_ = "auto,1";
  std::string precision_ = "auto";
  std::string device_ = "auto";
  std::string worker_;
  std::string store_ = std::string(setting_term("store").initial);
  std::string format_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_peaks_command() {
  return std::make_unique<PeaksCommand>();
}

}  // namespace transformeter
