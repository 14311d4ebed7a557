// What is here is described as before a run, and compared with what the run described.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "bundle/verify_bundle.h"
#include "run/identity.h"
#include "run/launcher.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// The parts of two descriptions that differ: "sha256/weights".
void add_differing(const Json& one, const Json& other, const std::string& place, std::vector<std::string>& parts) {
  if (one == other) return;
  if (!one.is_object() || !other.is_object()) {
    parts.push_back(place);
    return;
  }
  std::set<std::string> keys;
  for (const Json* json : {&one, &other}) {
    for (const auto& [key, value] : json->items()) keys.insert(key);
  }
  for (const std::string& key : keys) {
    add_differing(one.value(key, Json()), other.value(key, Json()),
                  place.empty() ? key : fmt::format("{}/{}", place, key), parts);
  }
}

BundleInput compared(std::string kind, std::string name, const Json& recorded, const std::function<Json()>& look) {
  BundleInput input{std::move(kind), std::move(name), InputAnswer::kSame, ""};
  try {
    std::vector<std::string> parts;
    add_differing(recorded, look(), "", parts);
    if (parts.empty()) return input;
    input.answer = InputAnswer::kDifferent;
    input.reason = fmt::format("another {}", fmt::join(parts, ", "));
  } catch (const Error& error) {
    input.answer = InputAnswer::kNotHere;
    input.reason = error.what();
  }
  return input;
}

BundleInput worker_here(const Context& context, const Json& recorded, const std::string& worker) {
  const Json sha256 = recorded.is_object() ? recorded.value("sha256", Json()) : Json();
  const std::string program = recorded.is_object() ? setting_text(recorded.value("program", Json(""))) : "";
  if (!sha256.is_string()) {
    return {"worker", program, InputAnswer::kUnknown, "the run did not store its SHA-256"};
  }
  return compared("worker", program, {{"sha256", sha256}}, [&]() -> Json {
    return {{"sha256", sha256_file(find_worker(context, worker))}};
  });
}

bool is_input_known(const std::vector<BundleInput>& inputs, const BundleInput& input) {
  for (const BundleInput& other : inputs) {
    if (other.kind == input.kind && other.name == input.name && other.reason == input.reason) return true;
  }
  return false;
}

}  // namespace

std::string_view name_of(InputAnswer answer) {
  switch (answer) {
    case InputAnswer::kSame:
      return "same";
    case InputAnswer::kDifferent:
      return "different";
    case InputAnswer::kNotHere:
      return "not here";
    case InputAnswer::kUnknown:
      break;
  }
  return "unknown";
}

std::vector<BundleInput> find_inputs(const Context& context, const RunRecord& run, const std::string& worker) {
  const Json build = run.host.is_object() ? run.host.value("worker", Json()) : Json();
  std::vector<BundleInput> inputs{worker_here(context, build, worker)};
  Describer describer(context.data_directory);
  for (const CaseRecord& one : run.cases) {
    const Json work = one.effective.is_object() ? one.effective.value("workload", Json()) : Json();
    if (!work.is_object()) continue;  // it never started
    for (const char* kind : {"model", "data"}) {
      const std::string name = setting_text(one.requested.value(kind, Json()));
      BundleInput input = compared(kind, name, work.value(kind, Json()), [&]() -> Json {
        const Case asked = case_from(one.requested);
        return std::string_view(kind) == "model" ? describer.model(asked.model).identity : describer.data(asked);
      });
      if (!is_input_known(inputs, input)) inputs.push_back(std::move(input));
    }
  }
  return inputs;
}

}  // namespace transformeter
