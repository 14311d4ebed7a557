// The state is kept before and after each step, so that a killed pipeline knows which run to resume.
#include "pipeline/run_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "base/error.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "schema/missing_replicates.h"
#include "schema/status.h"
#include "store/profile_store.h"
#include "store/store.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = ".lock";

// A pipeline writes files of usual names: README.md, data.txt.
void check_is_own(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder / "pipeline.json", code)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    if (entry.path().filename() == kLockFile) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("folder '{}' holds other files, such as '{}'; choose a new one with -o", folder.string(),
                            entry.path().filename().string()));
  }
}

void make_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("cannot make the folder '{}': {}", folder.string(), code.message()));
  }
}

// The latest run of that name; empty: none.
std::string latest_run(const fs::path& store, const std::string& name) {
  std::error_code code;
  if (!fs::exists(store, code)) return "";
  for (const RunRecord& run : open_store(store, StoreMode::kRead)->list_runs()) {
    if (run.name == name && run.role == RunRole::kResult) return run.id;
  }
  return "";
}

bool has_profile(const fs::path& store, const std::string& name) {
  std::error_code code;
  return fs::exists(store, code) && open_profile_store(store, StoreMode::kRead)->has_name(name);
}

// "2 of 4 replicates pending" of a run whose time budget ended before its cases; empty: none are.
std::string what_is_pending(const fs::path& store, const std::string& name) {
  const std::string id = latest_run(store, name);
  if (id.empty()) return "";
  const PendingReplicates all = pending_replicates(open_store(store, StoreMode::kRead)->load_run(id, false));
  return all.pending == 0 ? "" : fmt::format("{} of {} pending", all.pending, counted(all.total, "replicate"));
}

bool is_left_out(const StepOutcome& step) {
  return !step.is_skipped && step.record.state == StepState::kLeftOut;
}

// A picture that was asked for and that every run leaves out is missing all the same. The state keeps it as left out,
// so that it is drawn once a run has its data.
void fail_what_no_run_has(const std::vector<PipelineStep>& steps, PipelineOutcome& outcome) {
  std::map<std::string, bool> is_missing;
  for (std::size_t i = 0; i < outcome.steps.size(); ++i) {
    if (steps[i].asked.empty()) continue;
    const bool left_out = is_left_out(outcome.steps[i]);
    const auto [place, is_new] = is_missing.emplace(steps[i].asked, left_out);
    place->second = place->second && left_out;
  }
  for (std::size_t i = 0; i < outcome.steps.size(); ++i) {
    const auto found = is_missing.find(steps[i].asked);
    if (found != is_missing.end() && found->second) outcome.steps[i].record.state = StepState::kFailed;
  }
}

class PipelineRunner {
 public:
  PipelineRunner(const Context& context, const std::string& name, const PipelineOptions& options)
      : context_(context), name_(name), options_(options), state_(options.folder, name) {}

  StepOutcome do_step(const PipelineStep& step, const std::string& place) {
    const StepRecord* earlier = state_.earlier(step);
    if (options_.skipped.count(step.kind) != 0) return {earlier ? *earlier : record_of(step), false, true};
    if (is_still_good(step, earlier)) return {*earlier, true, false};
    StepRecord record = record_of(step);
    const std::vector<std::string> arguments = arguments_of(step, earlier, record);
    if (step.kind == StepKind::kMeasure || step.kind == StepKind::kProfile) {
      state_.count_measuring(step.runs.front());
    }
    record.shown_runs = state_.measured(step.runs);
    state_.keep(record);
    PipelineStep shown = step;
    shown.arguments = arguments;
    context_.log(LogLevel::kInfo, fmt::format("{} {}: {}", place, step.name, command_of(shown)));
    const Stopwatch watch(context_.clock);
    execute(step, arguments, record);
    record.duration_s = watch.seconds();
    if (record.state == StepState::kFailed) {
      context_.log(LogLevel::kWarning, fmt::format("{} failed: {}", step.name, record.reason));
    }
    state_.keep(record);
    return {std::move(record), false, false};
  }

 private:
  bool is_still_good(const PipelineStep& step, const StepRecord* earlier) const {
    if (options_.does_all_again || earlier == nullptr) return false;
    if (earlier->state != StepState::kDone && earlier->state != StepState::kLeftOut) return false;
    if (step.kind == StepKind::kMeasure && latest_run(pipeline_store(options_.folder), step.runs.front()).empty()) {
      return false;
    }
    if (step.kind == StepKind::kProfile && !has_profile(pipeline_store(options_.folder), name_)) return false;
    if (step.kind != StepKind::kMeasure && earlier->shown_runs != state_.measured(step.runs)) return false;
    return earlier->state == StepState::kLeftOut || missing_output(step).empty();
  }

  static std::string missing_output(const PipelineStep& step) {
    std::error_code code;
    for (const fs::path& output : step.outputs) {
      if (!fs::exists(output, code)) return output.string();
    }
    return "";
  }

  // A run that was begun is resumed, where the store has it.
  std::vector<std::string> arguments_of(const PipelineStep& step, const StepRecord* earlier, StepRecord& record) const {
    if (step.kind != StepKind::kMeasure) return step.arguments;
    const fs::path store = pipeline_store(options_.folder);
    const std::string latest = latest_run(store, step.runs.front());
    const bool was_begun =
        earlier != nullptr && earlier->state != StepState::kDone && !latest.empty() && latest != earlier->run_id_before;
    if (options_.does_all_again || !was_begun) {
      record.run_id_before = latest;
      return step.arguments;
    }
    record.run_id_before = earlier->run_id_before;
    return {"resume", latest, "--store", store.string(), "--retry-failed"};
  }

  void execute(const PipelineStep& step, const std::vector<std::string>& arguments, StepRecord& record) const {
    try {
      for (const fs::path& output : step.outputs) make_folder(output.parent_path());
      if (!step.input.empty()) {
        make_folder(step.input.parent_path());
        write_file_atomically(step.input, step.input_text);
      }
      const int code = options_.execute(arguments);
      const std::string missing = missing_output(step);
      record.state = code == kExitInterrupted             ? StepState::kStopped
                     : code == kExitOk && missing.empty() ? StepState::kDone
                                                          : StepState::kFailed;
      if (record.state == StepState::kDone && step.kind == StepKind::kMeasure) {
        record.reason = what_is_pending(pipeline_store(options_.folder), step.runs.front());
      }
      if (code == kExitOk && !missing.empty()) record.reason = fmt::format("it did not write '{}'", missing);
      if (code != kExitOk && code != kExitInterrupted) record.reason = fmt::format("exit code {}", code);
    } catch (const Error& error) {
      const bool lacks_data = !step.is_wanted && error.kind() == ErrorKind::kUnsupported;
      record.state = error.kind() == ErrorKind::kInterrupted ? StepState::kStopped
                     : lacks_data                            ? StepState::kLeftOut
                                                             : StepState::kFailed;
      record.reason = error.what();
      if (step.kind == StepKind::kMeasure && arguments.front() == "resume")
        record.reason += " --again measures from the beginning.";
    } catch (const std::exception& error) {
      record.state = StepState::kFailed;
      record.reason = error.what();
    }
  }

  const Context& context_;
  const std::string& name_;  // of the pipeline, and of the profile that it stores
  const PipelineOptions& options_;
  PipelineState state_;
};

}  // namespace

std::size_t PipelineOutcome::failed_count() const {
  return static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), [](const StepOutcome& step) {
    return !step.is_skipped && step.record.state == StepState::kFailed;
  }));
}

PipelineOutcome run_pipeline(const Context& context, const std::string& name, const std::vector<PipelineStep>& steps,
                             const PipelineOptions& options) {
  check_is_own(options.folder);
  make_folder(options.folder);
  const std::unique_ptr<FileLock> lock = FileLock::try_lock(options.folder / kLockFile);
  if (lock == nullptr) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("another pipeline works in folder '{}'; choose another with -o", options.folder.string()));
  }
  PipelineRunner runner(context, name, options);
  PipelineOutcome outcome;
  for (std::size_t i = 0; i < steps.size() && !outcome.is_interrupted; ++i) {
    outcome.steps.push_back(runner.do_step(steps[i], fmt::format("[{}/{}]", i + 1, steps.size())));
    const StepOutcome& last = outcome.steps.back();
    outcome.is_interrupted = !last.is_skipped && !last.is_kept && last.record.state == StepState::kStopped;
  }
  fail_what_no_run_has(steps, outcome);
  return outcome;
}

}  // namespace transformeter
