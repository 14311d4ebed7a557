// All that a manifest says of a run is made from its record, so that it can be made again and compared.
#include "bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/atomic_folder.h"
#include "base/error.h"
#include "base/files.h"
#include "run/plan_text.h"
#include "schema/settings.h"
#include "store/import_jsonl.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestManifest = std::size_t{64} << 20;

Error no_bundle(const fs::path& bundle, const std::string& reason) {
  return refused_value("bundle", bundle.string(), reason, "`transformeter manifest RUN -o BUNDLE` writes one.");
}

// {name, identity} of each of its kind, in the order of the cases.
Json identities(const RunRecord& run, const char* kind) {
  Json found = Json::array();
  const Json::json_pointer place(fmt::format("/workload/{}", kind));
  for (const CaseRecord& one : run.cases) {
    if (!one.effective.is_object() || !one.effective.contains(place)) continue;
    Json input = {{kind, one.requested.value(kind, Json())}, {"identity", one.effective.at(place)}};
    if (std::find(found.begin(), found.end(), input) == found.end()) found.push_back(std::move(input));
  }
  return found;
}

Json seeds_of(const RunRecord& run) {
  Json seeds = Json::array();
  for (const CaseRecord& one : run.cases) {
    const Json seed = one.requested.value("seed", Json());
    if (!seed.is_null() && std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
  }
  return seeds;
}

Json listed_cases(const RunRecord& run) {
  Json cases = Json::array();
  for (const CaseRecord& one : run.cases) {
    cases.push_back({{"id", one.id},
                     {"status", one.status ? Json(name_of(*one.status)) : Json()},
                     {"key", one.key},
                     {"workload_key", one.workload_key}});
  }
  return cases;
}

bool is_bundled(const SettingTerm& term) {
  return term.name != "store" && term.name != "worker";
}

BundleManifest manifest_from(const Json& json) {
  BundleManifest manifest{json.at("created_at").get<std::string>(), json.at("program"), json.at("run"), {}};
  for (const Json& file : json.at("files")) {
    manifest.files.push_back({file.at("name").get<std::string>(), file.at("size_bytes").get<std::uint64_t>(),
                              file.at("sha256").get<std::string>()});
  }
  manifest.run.at("id").get<std::string>();
  return manifest;
}

}  // namespace

Json to_json(const BundleManifest& manifest) {
  Json files = Json::array();
  for (const BundledFile& file : manifest.files) {
    files.push_back({{"name", file.name}, {"size_bytes", file.size_bytes}, {"sha256", file.sha256}});
  }
  return {{"format", kBundleFormat},
          {"schema_version", kBundleSchemaVersion},
          {"created_at", manifest.created_at},
          {"program", manifest.program},
          {"run", manifest.run},
          {"files", std::move(files)}};
}

BundleManifest read_manifest(const fs::path& bundle) {
  std::error_code code;
  if (!fs::exists(bundle, code)) throw no_bundle(bundle, "there is no such folder");
  if (!fs::is_directory(bundle, code)) throw no_bundle(bundle, "it is not a folder");
  const fs::path file = bundle / kManifestFile;
  if (!fs::is_regular_file(file, code)) throw no_bundle(bundle, fmt::format("it has no {}", kManifestFile));
  const Json json = parse_json(fmt::format("'{}'", file.string()), read_file(file, kLargestManifest));
  if (!json.is_object() || json.value("format", Json()) != kBundleFormat) {
    throw no_bundle(bundle, fmt::format("its {} is of another format", kManifestFile));
  }
  const auto version = whole_number<int>(json.value("schema_version", Json()));
  if (version && *version > kBundleSchemaVersion) {
    throw refused_value(
        "bundle", bundle.string(),
        fmt::format("it has schema version {}, and this program reads up to {}", *version, kBundleSchemaVersion),
        "Use a newer transformeter.");
  }
  if (version != kBundleSchemaVersion) throw no_bundle(bundle, "its schema_version is not one that there was");
  try {
    return manifest_from(json);
  } catch (const Json::exception& error) {
    throw refused_value("bundle", bundle.string(),
                        fmt::format("its {} is damaged: {}", kManifestFile, json_fault(error)));
  }
}

std::vector<std::string> foreign_entries(const fs::path& bundle) {
  std::vector<std::string> foreign;
  for (const fs::path& entry : entries_of(bundle)) {
    const std::string name = entry.filename().string();
    const bool is_listed = std::find(kBundledFiles.begin(), kBundledFiles.end(), name) != kBundledFiles.end();
    if (!is_listed && name != kManifestFile) foreign.push_back(name);
  }
  std::sort(foreign.begin(), foreign.end());
  return foreign;
}

RunRecord bundled_run(const fs::path& bundle) {
  RunRecord run;
  std::size_t count = 0;
  import_source({bundle / kResultsFile})({[&](RunRecord&& one) {
                                            run = std::move(one);
                                            ++count;
                                          },
                                          [&](CaseRecord&& one) {
                                            for (ReplicateRecord& replicate : one.replicates) replicate.series.clear();
                                            run.cases.push_back(std::move(one));
                                          }});
  if (count == 1) return run;
  throw Error(ErrorKind::kBadInput,
              fmt::format("'{}' holds {} runs, not one", (bundle / kResultsFile).string(), count));
}

Json described_run(const RunRecord& run) {
  return {{"id", run.id},
          {"name", run.name},
          {"started_at", run.started_at},
          {"replicates_planned", run.replicates_planned},
          {"seeds", seeds_of(run)},
          {"cases", listed_cases(run)},
          {"inputs",
           {{"worker", run.host.is_object() ? run.host.value("worker", Json()) : Json()},
            {"models", identities(run, "model")},
            {"data", identities(run, "data")}}}};
}

Json settings_of_cases(const RunRecord& run) {
  Json cases = Json::array();
  for (const CaseRecord& one : run.cases) {
    cases.push_back(
        {{"case", one.id}, {"requested", one.requested}, {"effective", one.effective}, {"launch", one.launch}});
  }
  return cases;
}

Plan replayed_plan(const RunRecord& run) {
  if (run.role == RunRole::kTrial) {
    throw refused_value("run", run.id, "it holds trials of engine auto, not results",
                        "Use the run that they chose for.");
  }
  if (std::any_of(run.cases.begin(), run.cases.end(), [](const CaseRecord& one) { return is_live(one.requested); })) {
    throw refused_value("run", run.id, "it is a live comparison, which has no plan that `run` could measure again",
                        "Keep it with `transformeter export`; measure again with `compare --live`.");
  }
  return Plan::from_json(run.settings);
}

std::string bundled_plan_text(const Plan& plan) {
  return plan_text(plan, is_bundled);
}

std::string differing_setting(const fs::path& plan_file, const Plan& plan) {
  Plan read;
  read.apply_file(plan_file);
  for (const SettingTerm& term : setting_terms()) {
    if (!is_bundled(term)) continue;
    const bool is_written = plan.has(term.name) && (plan.at(term.name).origin != "default" || term.name == "model");
    const bool is_read = read.has(term.name) && read.at(term.name).origin != "default";
    if (is_written != is_read) return std::string(term.name);
    if (is_written && plan.at(term.name).values != read.at(term.name).values) return std::string(term.name);
  }
  return "";
}

}  // namespace transformeter
