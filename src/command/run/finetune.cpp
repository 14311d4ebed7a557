// The log's lines are events as the worker sent them. One that is resumed forgets those after the checkpoint.
#include "run/finetune.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json_file.h"
#include "base/output.h"
#include "base/version.h"
#include "datasets/bundled_data.h"
#include "datasets/data_file.h"
#include "datasets/data_of_task.h"
#include "datasets/dataset.h"
#include "datasets/media_data.h"
#include "run/data_location.h"
#include "run/identity.h"
#include "run/model_location.h"
#include "run/single_case_session.h"
#include "schema/case.h"
#include "spec/checkpoint.h"
#include "spec/presets.h"
#include "tasks/fine_tuning_sets.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSettingsFile = "finetune.json";
constexpr const char* kLogFile = "log.jsonl";
constexpr const char* kSummaryFile = "summary.json";
constexpr const char* kLockFile = ".lock";

using Hashes = std::map<std::string, std::string>;  // by file

bool is_folder_of_model(const std::string& model) {
  std::error_code none;
  return !is_preset(model) && fs::is_directory(model, none);
}

// Whoever goes on may do so from another working folder. A model of the hub has its commit.
FineTuneJob with_absolute_paths(FineTuneJob job) {
  const auto make_absolute = [](const std::string& path) {
    std::error_code none;
    return fs::is_regular_file(path, none) || fs::is_directory(path, none)
               ? fs::absolute(path).lexically_normal().string()
               : path;
  };
  for (const char* name : {"data", "labels", "model"}) {
    if (!job.settings.contains(name)) continue;
    const auto path = job.settings.at(name).get<std::string>();
    if (path != kBundledData && !is_preset(path)) job.settings[name] = make_absolute(path);
  }
  job.options.evaluation_data = make_absolute(job.options.evaluation_data);
  return job;
}

// Sets the name that adapter_config.json gives the base model: an absolute folder, or the hub's name and commit.
FineTuneJob with_base_model(FineTuneJob job) {
  if (!case_from(job.settings).lora_rank || job.options.merges_adapter) return job;
  FineTuneOptions& options = job.options;
  options.base_model = with_absolute_paths(job).settings.at("model").get<std::string>();
  const std::optional<ModelReference> pinned = locate_model(options.base_model).pinned;
  if (!pinned) return job;
  options.base_model = pinned->repository.name;
  options.base_revision = pinned->revision;
  return job;
}

// Data sets of the hub lie in its cache.
FineTuneJob with_located_data(FineTuneJob job) {
  const Case asked = case_from(job.settings);
  const DataLocation learnt = locate_data(asked.data, asked.split);
  job.settings["data"] = learnt.path;
  if (!learnt.split.empty()) job.settings["split"] = learnt.split;
  if (job.options.evaluation_data.empty()) return job;
  DataLocation scored = locate_data(job.options.evaluation_data, job.options.evaluation_split);
  job.options.evaluation_data = std::move(scored.path);
  job.options.evaluation_split = std::move(scored.split);
  return job;
}

// Of a data set of images or sounds the files that it names, not the folder or table alone.
void add_hashes_of_media(const FineTuneJob& job, Hashes& hashes) {
  const Case asked = case_from(job.settings);
  const auto check = [&] {
    if (job.interrupt != nullptr && *job.interrupt) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  };
  DataOptions options = data_options(asked);
  const auto add = [&](const std::string& data, const std::string& split) {
    options.split = split;
    if (data.empty() || parse_data_reference(data)) return;
    hashes[data] +=
        sha256_of_media(load_data_of_task(data, asked.task, options), check);  // one folder may hold both splits
  };
  add(asked.data, asked.split);
  add(job.options.evaluation_data, job.options.evaluation_split);
}

void add_hashes_of_folders(const FineTuneJob& job, Hashes& hashes) {
  const Case asked = case_from(job.settings);
  const auto add = [&](const std::string& path, const std::string& split) {
    std::error_code none;
    if (path != kBundledData && fs::is_directory(path, none))
      hashes[path] += sha256_of_data(path, split);  // one may hold both splits
  };
  add(asked.data, asked.split);
  add(job.options.evaluation_data, job.options.evaluation_split);
}

// Of what is read again to go on: a change of it would make another training. Weights come from the checkpoint, and
// what is on the hub has its commit. With LoRA the frozen weights are read from the model again, so its files of
// weights are hashed too.
Hashes hashes_of(const FineTuneJob& job) {
  std::vector<fs::path> files = {job.options.evaluation_data};
  for (const char* name : {"data", "labels"}) {
    if (const auto path = job.settings.value(name, std::string()); path != kBundledData) files.emplace_back(path);
  }
  if (const auto model = job.settings.at("model").get<std::string>(); is_folder_of_model(model)) {
    for (const char* name : model_description_files()) files.push_back(fs::path(model) / name);
    if (case_from(job.settings).lora_rank) {
      for (const WeightsFile& file : open_checkpoint(model).files) files.emplace_back(file.path);
    }
  }
  Hashes hashes;
  if (modality_of(case_from(job.settings).task) != Modality::kText) {
    add_hashes_of_media(job, hashes);
  } else {
    add_hashes_of_folders(job, hashes);
  }
  for (const fs::path& file : files) {
    std::error_code none;
    if (fs::is_regular_file(file, none)) hashes.emplace(file.string(), sha256_file(file));
  }
  return hashes;
}

void check_unchanged(const fs::path& settings, const Hashes& then, const Hashes& now) {
  const auto refuse = [&](const std::string& file, const char* what) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: '{}' {}", settings.string(), file, what));
  };
  for (const auto& [file, hash] : then) {
    const auto found = now.find(file);
    if (found == now.end()) refuse(file, "is missing; restore it to resume the fine-tuning");
    if (found->second != hash) {
      refuse(file, "has changed since the fine-tuning started; restore it, or start a new fine-tuning");
    }
  }
  for (const auto& [file, hash] : now) {
    if (!then.contains(file)) {
      refuse(file, "did not exist when the fine-tuning started; remove it, or start a new fine-tuning");
    }
  }
}

// A checkpoint of another training would be gone on from, and a user's own folder replaced.
void check_output(const fs::path& folder) {
  std::error_code none;
  if (fs::exists(folder / kSettingsFile, none)) {
    throw Error(ErrorKind::kBadInput, fmt::format("'{}' already contains a fine-tuning; resume it with `transformeter "
                                                  "finetune --resume {}` or choose another --output",
                                                  folder.string(), folder.string()));
  }
  for (const char* name : {"checkpoints", "best"}) {
    const fs::path taken = folder / name;
    if (!fs::exists(fs::symlink_status(taken, none))) continue;
    throw Error(ErrorKind::kBadInput, fmt::format("'{}' already exists and has no {} that identifies its fine-tuning; "
                                                  "choose another --output or move it away",
                                                  taken.string(), kSettingsFile));
  }
}

// The output, locked as long as this is there. Folders that were made for it and are empty at the end go again.
class HeldOutput {
 public:
  explicit HeldOutput(const fs::path& folder) : lock_file_(folder / kLockFile) {
    std::error_code code;
    for (fs::path path = fs::absolute(folder).lexically_normal(); !fs::exists(path, code) && path.has_relative_path();
         path = path.parent_path()) {
      made_.push_back(path);
    }
    fs::create_directories(folder, code);
    if (code) {
      throw Error(ErrorKind::kEnvironment, fmt::format("cannot create '{}': {}", folder.string(), code.message()));
    }
    lock_ = FileLock::try_lock(lock_file_);
    if (!lock_) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("another finetune is writing to '{}'; wait until it ends or choose another --output",
                              folder.string()));
    }
  }
  ~HeldOutput() {
    std::error_code ignored;
    fs::remove(lock_file_, ignored);
    for (const fs::path& path : made_) fs::remove(path, ignored);
  }
  HeldOutput(const HeldOutput&) = delete;
  HeldOutput& operator=(const HeldOutput&) = delete;

 private:
  fs::path lock_file_;
  std::vector<fs::path> made_;  // the lowest first
  std::unique_ptr<FileLock> lock_;
};

void begin_output(const FineTuneJob& job, const Hashes& hashes) {
  const FineTuneJob stored = with_absolute_paths(job);
  write_json_file(fs::path(job.options.output) / kSettingsFile, {{"settings", stored.settings},
                                                                 {"options", to_json(stored.options)},
                                                                 {"sha256", hashes},
                                                                 {"version", program_version()}});
}

class EventLog {
 public:
  explicit EventLog(const fs::path& path) : path_(path) {
    drop_partial_line();
    open();
  }

  void add(const Json& event) {
    if (event.at("event") == "resumed") forget_after(event.at("step"));
    file_ << event.dump() << '\n' << std::flush;
    if (!file_) {
      throw Error(ErrorKind::kEnvironment, fmt::format("cannot write '{}'; is the disk full?", path_.string()));
    }
  }

 private:
  void open() {
    file_.open(path_, std::ios::app);
    if (!file_) throw Error(ErrorKind::kEnvironment, fmt::format("cannot open '{}' for writing", path_.string()));
  }

  // A kill or a full disk may have cut the last line off: the next event would be glued to it.
  void drop_partial_line() const {
    const std::string text = read_file_or_empty(path_);
    const std::size_t whole = text.find_last_of('\n') + 1;  // 0 without one
    if (whole == text.size()) return;
    std::error_code code;
    fs::resize_file(path_, whole, code);
    if (code) {
      throw Error(ErrorKind::kEnvironment, fmt::format("cannot write '{}': {}", path_.string(), code.message()));
    }
  }

  // Keeps what came until that step.
  void forget_after(std::int64_t step) {
    file_.close();
    std::ifstream read(path_);
    AtomicFile kept(path_);
    for (std::string line; std::getline(read, line);) {
      const Json event = json_or_discarded(line);
      if (!event.is_object() || event.value("step", std::int64_t{0}) > step) continue;
      kept.write(line + "\n");
    }
    kept.commit();
    open();
  }

  fs::path path_;
  std::ofstream file_;
};

}  // namespace

Json finetune(const Context& context, const FineTuneJob& job, const std::function<void(const Json&)>& on_event) {
  const fs::path folder = job.options.output;
  const HeldOutput held(folder);
  FineTuneJob begun = with_base_model(job);
  const FineTuneJob located = with_located_data(begun);
  const Case asked = case_from(located.settings);
  if (!job.options.resumes) {
    check_output(folder);
    check_evaluation_data(asked, asked.data, located.options);
  }
  std::optional<EventLog> log;
  std::vector<Json> waiting;
  SingleCaseSession sole(context, {job.worker, job.settings, job.worker_timeout, job.interrupt});
  sole.prepare();
  begun.settings = sole.settings();  // what `auto` means elsewhere may be another device, or other threads
  // Before the worker reads the data, so that no change in between goes unseen.
  const Hashes hashes = job.options.resumes ? Hashes() : hashes_of(with_absolute_paths(job));
  const FineTuned done = sole.answered(sole.session().finetune({located.options}, [&](const Json& event) {
    if (event.at("event") == "alive") return;
    on_event(event);
    waiting.push_back(event);
    // What cannot take its first step leaves nothing behind.
    if (!log && !job.options.resumes && event.at("event") != "step") return;
    if (!log) {
      if (!job.options.resumes) begin_output(begun, hashes);
      log.emplace(folder / kLogFile);
    }
    for (const Json& one : waiting) log->add(one);
    waiting.clear();
  }));
  sole.end();
  write_json_file(folder / kSummaryFile, done.summary);
  return done.summary;
}

FineTuneJob stored_finetune(const fs::path& folder, const std::atomic<bool>* interrupt) {
  const fs::path path = folder / kSettingsFile;
  std::error_code code;
  if (!fs::is_regular_file(path, code)) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{}' contains no fine-tuning to resume: {} is missing", folder.string(), path.string()));
  }
  FineTuneJob job;
  Hashes hashes;
  try {
    const Json stored = parse_json(path.string(), read_file(path));
    job.settings = stored.at("settings");
    job.options = finetune_options_from_json(stored.at("options"));
    stored.at("sha256").get_to(hashes);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: damaged: {}", path.string(), error.what()));
  }
  job.options.output = folder.string();
  job.options.resumes = true;
  job.interrupt = interrupt;
  Hashes now;
  try {
    now = hashes_of(job);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: the model or the data differ from the start of the fine-tuning or cannot be "
                            "read; restore them to resume: {}",
                            path.string(), error.what()));
  }
  check_unchanged(path, hashes, now);
  return job;
}

}  // namespace transformeter
