// `transformeter manifest`: a run as a folder that others can verify and replay.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "bundle/verify_bundle.h"
#include "bundle/write_bundle.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"
#include "cli/output_path.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "report/json_text.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr const char* kVerify = "verify";
const std::vector<std::string> kFormats{"table", "json"};

constexpr UsageExample kExamples[] = {
    {"transformeter manifest -o bundle", "the latest run, with every sample, in the folder bundle"},
    {"transformeter manifest nightly -o nightly --store results.db"},
    {"transformeter manifest verify bundle", "is it as it was written, and are its model, data and worker here?"},
    {"transformeter replay bundle", "measures the same cases here, and compares"},
};
constexpr const char* kNotes[] = {
    "A bundle holds manifest.json, plan.yaml, settings.json, environment.json and results.jsonl. It has hashes of "
    "models, data and worker, not the files themselves; paths in the plan are those of the run. docs/replay.md has "
    "more.",
    "For a run named 'verify', give its id.",
    "Exit codes: 0 done, or the bundle is as it was written; 1 it is not; 3 bad input, or a bundle of a newer version.",
    "A model, data or worker that is not here is not a fault of the bundle.",
};

class ManifestCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "manifest",
            .task = CommandTask::kResults,
            .summary = "write a run as a folder to verify and replay elsewhere, or verify one",
            .options = {{.names = {"run"},
                         .target = &run_,
                         .placeholder = "RUN|verify",
                         .help = "run id, start of an id, or name; default: the latest run"},
                        {.names = {"bundle"},
                         .target = &verified_,
                         .placeholder = "DIR",
                         .help = "verify: the folder to look at"},
                        store_option(store_),
                        worker_option(worker_),
                        {.names = {"-o", "--output"},
                         .target = &output_,
                         .placeholder = "DIR",
                         .help = "folder to write; appears once it is complete"},
                        {.names = {"--force"}, .target = &force_, .help = "replace an older bundle in that folder"},
                        format_option(format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    return run_ == kVerify ? verify(context) : write(context, interrupt);
  }

 private:
  int write(const Context& context, const std::atomic<bool>& interrupt) const {
    if (!verified_.empty()) {
      throw refused_value("bundle", verified_, "only verify takes one", "-o names the folder to write.");
    }
    if (!worker_.empty()) throw Error(ErrorKind::kBadInput, "--worker is for verify: a run has its worker");
    if (output_.empty()) {
      throw Error(ErrorKind::kBadInput, "-o is missing: the folder to write, e.g. `transformeter manifest -o bundle`");
    }
    const std::string path = store_path(store_);
    check_is_not_store(output_, path);
    const std::unique_ptr<Store> store = open_store(path, StoreMode::kRead, context.log);
    const BundleManifest manifest =
        write_bundle(*store, context.clock, output_, {run_, force_, [&] { check_interrupt(interrupt); }});
    const std::string sha256 = sha256_file(std::filesystem::path(output_) / kManifestFile);
    if (format_ == "json") {
      write_standard_output(
          json_text({{"bundle", output_}, {"manifest_sha256", sha256}, {"manifest", to_json(manifest)}}));
      return kExitOk;
    }
    std::vector<std::vector<std::string>> rows;
    for (const BundledFile& file : manifest.files) {
      rows.push_back({file.name, format_bytes(static_cast<double>(file.size_bytes)), file.sha256});
    }
    write_standard_output(fmt::format("{}run {} in {}\nSHA-256 of {}: {}\n",
                                      text_table({{"file"}, {"size", true}, {"SHA-256"}}, rows),
                                      manifest.run.at("id").get<std::string>(), output_, kManifestFile, sha256));
    return kExitOk;
  }

  int verify(const Context& context) const {
    if (verified_.empty()) {
      throw Error(
          ErrorKind::kBadInput,
          "verify needs a bundle, e.g. `transformeter manifest verify bundle`; for a run named 'verify', give its "
          "id");
    }
    if (!output_.empty() || force_)
      throw Error(ErrorKind::kBadInput, "verify writes nothing: leave out -o and --force");
    if (store_) throw Error(ErrorKind::kBadInput, "verify reads the bundle alone: leave out --store");
    const BundleCheck check = verify_bundle(verified_);
    const bool is_whole = check.faults.empty();
    const std::vector<BundleInput> inputs =
        is_whole ? find_inputs(context, *check.run, worker_) : std::vector<BundleInput>();
    write_standard_output(format_ == "json" ? json_text(json_of(check, inputs)) : text_of(check, inputs));
    return is_whole ? kExitOk : kExitFault;
  }

  std::string text_of(const BundleCheck& check, const std::vector<BundleInput>& inputs) const {
    std::string text;
    for (const std::string& fault : check.faults) text += fmt::format("fault: {}\n", fault);
    if (!check.faults.empty()) {
      return text + fmt::format("{} is not as it was written: {}\n", verified_, counted(check.faults.size(), "fault"));
    }
    std::vector<std::vector<std::string>> rows;
    for (const BundleInput& input : inputs) {
      rows.push_back({input.kind, input.name, std::string(name_of(input.answer)), input.reason});
    }
    text = text_table({{"measured with"}, {"name"}, {"here"}, {"why"}}, rows);
    return text + fmt::format("{} is as it was written: run {}, SHA-256 of {} {}\n", verified_,
                              check.manifest.run.at("id").get<std::string>(), kManifestFile, check.manifest_sha256);
  }

  Json json_of(const BundleCheck& check, const std::vector<BundleInput>& inputs) const {
    Json found = Json::array();
    for (const BundleInput& input : inputs) {
      found.push_back({{"kind", input.kind},
                       {"name", input.name},
                       {"here", name_of(input.answer)},
                       {"why", input.reason.empty() ? Json() : Json(input.reason)}});
    }
    return {{"schema_version", kBundleSchemaVersion},
            {"bundle", verified_},
            {"run", check.manifest.run.at("id")},
            {"is_as_written", check.faults.empty()},
            {"manifest_sha256", check.manifest_sha256},
            {"faults", check.faults},
            {"inputs", std::move(found)}};
  }

  std::string run_, verified_;
  std::optional<std::string> store_;
  std::string worker_;
  std::string output_;
  bool force_ = false;
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_manifest_command() {
  return std::make_unique<ManifestCommand>();
}

}  // namespace transformeter
