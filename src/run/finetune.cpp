// The log's lines are events as the worker sent them. One that is resumed forgets those after the checkpoint.
#include "run/finetune.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/output.h"
#include "base/version.h"
#include "run/sole_session.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSettingsFile = "finetune.json";
constexpr const char* kLogFile = "log.jsonl";
constexpr const char* kSummaryFile = "summary.json";

void write_json(const fs::path& path, const Json& json) {
  AtomicFile file(path);
  file.write(json.dump(2) + "\n");
  file.commit();
}

// What is read: a change of it would make another training.
Json hashes_of(const FineTuneJob& job) {
  Json hashes = Json::object();
  for (const std::string& path : {job.settings.at("data").get<std::string>(), job.options.evaluation_data}) {
    std::error_code code;
    if (fs::is_regular_file(path, code)) hashes[path] = sha256_file(path);
  }
  return hashes;
}

void check_output(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder / kSettingsFile, code)) {
    throw Error(ErrorKind::kBadInput, fmt::format("'{}' holds a fine-tuning already; go on with it: transformeter "
                                                  "finetune --resume {}, or choose another --output",
                                                  folder.string(), folder.string()));
  }
}

void begin_output(const FineTuneJob& job) {
  const fs::path folder = job.options.output;
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) {
    throw Error(ErrorKind::kEnvironment, fmt::format("'{}' cannot be made: {}", folder.string(), code.message()));
  }
  write_json(folder / kSettingsFile, {{"settings", job.settings},
                                      {"options", to_json(job.options)},
                                      {"sha256", hashes_of(job)},
                                      {"version", program_version()}});
}

class EventLog {
 public:
  explicit EventLog(const fs::path& path) : path_(path) { open(); }

  void add(const Json& event) {
    if (event.at("event") == "alive") return;
    if (event.at("event") == "resumed") forget_after(event.at("step"));
    file_ << event.dump() << '\n' << std::flush;
    if (!file_) {
      throw Error(ErrorKind::kEnvironment, fmt::format("'{}' cannot be written; is the disk full?", path_.string()));
    }
  }

 private:
  void open() {
    file_.open(path_, std::ios::app);
    if (!file_) throw Error(ErrorKind::kEnvironment, fmt::format("'{}' cannot be opened to write", path_.string()));
  }

  // Keeps what came until that step; a last line that was cut off is no event.
  void forget_after(std::int64_t step) {
    file_.close();
    std::ifstream read(path_);
    AtomicFile kept(path_);
    for (std::string line; std::getline(read, line);) {
      const Json event = Json::parse(line, nullptr, false);
      if (event.is_discarded() || event.value("step", std::int64_t{0}) > step) continue;
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
  if (!job.options.resumes) check_output(folder);
  std::optional<EventLog> log;
  SoleSession sole(context, {job.worker, job.settings, job.worker_timeout, job.interrupt});
  sole.prepare();
  const FineTuned done = sole.answered(sole.session().finetune({job.options}, [&](const Json& event) {
    // What cannot begin leaves nothing behind: the first event says that model and data are there.
    if (!log) {
      if (!job.options.resumes) begin_output(job);
      log.emplace(folder / kLogFile);
    }
    log->add(event);
    on_event(event);
  }));
  sole.end();
  write_json(folder / kSummaryFile, done.summary);
  return done.summary;
}

FineTuneJob stored_finetune(const fs::path& folder) {
  const fs::path path = folder / kSettingsFile;
  std::error_code code;
  if (!fs::is_regular_file(path, code)) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{}' holds no fine-tuning to go on with: there is no {}", folder.string(), path.string()));
  }
  FineTuneJob job;
  Json hashes;
  try {
    const Json stored = Json::parse(read_file(path));
    job.settings = stored.at("settings");
    job.options = finetune_options_from_json(stored.at("options"));
    hashes = stored.at("sha256");
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: damaged: {}", path.string(), error.what()));
  }
  job.options.output = folder.string();
  job.options.resumes = true;
  const Json now = hashes_of(job);
  if (now != hashes) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: the data has changed since the fine-tuning began (now {}); its "
                                                  "rest would be another training",
                                                  path.string(), now.dump()));
  }
  return job;
}

}  // namespace transformeter
