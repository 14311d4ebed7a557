// There is one case, and it is the command.
#include "run/single_case_session.h"

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "machine/cpu_list.h"
#include "run/cores.h"
#include "run/launcher.h"
#include "run/prepare_request.h"
#include "run/workload_settings.h"
#include "schema/scenario.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// What `auto` means before a worker is there.
Json settled(Json settings) {
  if (settings.at("threads") == "auto") settings["threads"] = available_cores(allowed_cpus());
  if (settings.at("precision") == "auto") settings["precision"] = "fp32";
  return settings;
}

void settle_device(Json& settings, const Capabilities& capabilities) {
  if (settings.at("device") == "auto") settings["device"] = capabilities.best_device();
}

// A fine-tuning is steps of a training: what these lack, it lacks.
Json with_known_scenario(Json settings) {
  if (scenario_of(settings) == Scenario::kFinetune) settings["scenario"] = Scenario::kTrain;
  return settings;
}

void settle_engine(Json& settings, const Capabilities& capabilities) {
  settings.emplace("engine", setting_term("engine").initial);
  Json chosen = with_known_scenario(settings);
  capabilities.take_choices_of_engine(chosen);
  if (settings.contains("scenario")) chosen["scenario"] = settings.at("scenario");
  settings = std::move(chosen);
  if (settings.value("streams", Json()) == "threads") settings["streams"] = settings.at("threads");
}

void check_capabilities(const Json& settings, const Capabilities& capabilities) {
  std::optional<std::string> reason = capabilities.why_unsupported(with_known_scenario(settings));
  if (!reason) reason = why_not_batched(case_from(settings));
  if (reason) throw Error(ErrorKind::kUnsupported, *reason);
}

}  // namespace

SingleCaseSession::SingleCaseSession(const Context& context, const SingleCase& the_case)
    : settings_(settled(the_case.settings)), session_(context, session_options(the_case)) {}

SessionOptions SingleCaseSession::session_options(const SingleCase& the_case) {
  const Case asked = case_from(settings_);
  memory_limit_ = worker_memory_limit(asked);
  SessionOptions options;
  options.worker = the_case.worker;
  options.launch = launch_of(asked, the_case.launch_host);
  options.timeout = the_case.worker_timeout;
  options.memory_limit_bytes = memory_limit_;
  options.interrupt = the_case.interrupt;
  return options;
}

Json SingleCaseSession::prepare() {
  answered(session_.hello());
  const Capabilities capabilities = answered(session_.describe()).capabilities;
  settle_device(settings_, capabilities);
  settle_engine(settings_, capabilities);
  check_capabilities(settings_, capabilities);
  Json effective = settings_;
  effective.update(answered(session_.prepare(prepare_request(settings_, session_, memory_limit_))).effective);
  return effective;
}

void SingleCaseSession::end() {
  if (!session_.teardown()) raise_fault();
}

void SingleCaseSession::raise_fault() const {
  if (!session_.fault()) throw Error(ErrorKind::kInternal, "the session ended without an error");
  const Failed& fault = *session_.fault();
  throw Error(fault.kind.value_or(kind_of(fault.status).value_or(ErrorKind::kProtocol)), fault.reason);
}

}  // namespace transformeter
