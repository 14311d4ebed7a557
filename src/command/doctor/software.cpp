// The worker is asked as a run asks it.
#include "doctor/software.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "run/launcher.h"
#include "run/session.h"

namespace transformeter {
namespace {

using enum CheckLevel;
namespace fs = std::filesystem;

constexpr const char* kWorkerWhy = "the worker runs models with LibTorch; nothing can be measured without it";

Check broken_worker(const std::string& reason, const std::string& advice) {
  return {kProblem, "worker", reason, kWorkerWhy, advice};
}

std::string word_or_unknown(const Json& build, const char* name) {
  const auto found = build.find(name);
  return found != build.end() && found->is_string() ? found->get<std::string>() : "unknown";
}

std::string joined(const std::map<std::string, std::vector<std::string>>& values, const char* name);

// "; on a GPU fp32, bf16", where there is one.
std::string native_on_gpu(const Capabilities& can) {
  return can.native.count("precision@cuda") == 0 ? "" : "; on a GPU " + joined(can.native, "precision@cuda");
}

std::string joined(const std::map<std::string, std::vector<std::string>>& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() || found->second.empty() ? "any" : fmt::format("{}", fmt::join(found->second, ", "));
}

std::optional<fs::path> find_program(const std::string& name, const std::string& search_path) {
  for (const std::string& folder : split(search_path, ':')) {
    const fs::path path = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code code;
    if (fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

// Its Debian package has the program's name.
Check optional_program(const char* name, const char* program, const char* use, const std::string& search_path) {
  const auto path = find_program(program, search_path);
  return {kOk, name, path ? path->string() : fmt::format("not installed: sudo apt-get install {}", program),
          fmt::format("{}; nothing else needs it", use), ""};
}

}  // namespace

// Of an engine that is not installed.
Checks missing_engines(const Capabilities& can) {
  constexpr std::string_view kEngine = "engine=";
  Checks checks;
  for (const auto& [what, reason] : can.reasons) {
    if (!what.starts_with(kEngine)) continue;
    checks.push_back({kOk, "engine " + what.substr(kEngine.size()), "not installed: " + reason, "", ""});
  }
  return checks;
}

Checks check_description(const std::string& path, const Described& described) {
  const Json& build = described.build;
  const Capabilities& can = described.capabilities;
  Checks checks{{kOk, "worker",
                 fmt::format("{}: LibTorch {}, oneDNN {}, instruction set {}", path, word_or_unknown(build, "libtorch"),
                             word_or_unknown(build, "onednn"), word_or_unknown(build, "instruction_set")),
                 kWorkerWhy, ""},
                {kOk, "worker can run",
                 fmt::format("devices: {}; engines: {}; precisions: {} (native: {}{}); attention: {}; families: {}",
                             joined(can.values, "device"), joined(can.values, "engine"),
                             joined(can.values, "precision"), joined(can.native, "precision"), native_on_gpu(can),
                             joined(can.values, "attention"), joined(can.values, "family")),
                 "anything else in a plan is reported as unsupported, with the reason", ""}};
  for (Check& missing : missing_engines(can)) checks.push_back(std::move(missing));
  return checks;
}

Checks check_worker(const Context& context, const std::string& setting, const std::atomic<bool>& interrupt) {
  SessionOptions options;
  try {
    options.worker = find_worker(context, setting);
    options.timeout = std::chrono::minutes(1);
    options.interrupt = &interrupt;
    Session session(context, options);
    session.hello();
    const auto described = session.describe();
    if (described) {
      session.teardown();
      return check_description(options.worker.string(), *described);
    }
    const std::optional<Failed>& fault = session.fault();
    if (fault && fault->status == Status::kInterrupted) throw Error(ErrorKind::kInterrupted, "stopped by the user");
    return {broken_worker(
        fmt::format("{}: {}", options.worker.string(), fault ? fault->reason : "no answer"),
        "run 'ldd " + options.worker.string() + "' to find missing libraries; 'make setup build' installs them")};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) throw;
    return {broken_worker(error.what(), "run make programs, or set --worker PATH or TRANSFORMETER_WORKER")};
  }
}

Checks check_libraries(const std::string& search_path) {
  Checks checks;
  std::vector<std::string> libraries;
  for (const LibraryVersion& library : built_with()) libraries.push_back(library.name + " " + library.version);
  checks.push_back(
      {kOk, "libraries", fmt::format("{}", fmt::join(libraries, ", ")), "libraries this program was built with", ""});
  const std::string why = "draws the plots of reports; not needed for measuring";
  if (const auto gnuplot = find_program("gnuplot", search_path)) {
    checks.push_back({kOk, "gnuplot", gnuplot->string(), why, ""});
  } else {
    checks.push_back({kLimited, "gnuplot", "not found", why, "run sudo apt-get install gnuplot-nox"});
  }
  checks.push_back(optional_program("WeasyPrint", "weasyprint", "writes reports as PDF", search_path));
  checks.push_back(optional_program("pandoc", "pandoc", "writes reports as slides", search_path));
  return checks;
}

}  // namespace transformeter
