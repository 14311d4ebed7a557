// One session for all cases: a forecast keeps nothing.
#include "run/forecast_cases.h"

#include <fmt/format.h>

#include <chrono>

#include "base/error.h"
#include "metrics/case_settings.h"
#include "run/launcher.h"
#include "run/prepare_request.h"
#include "run/session.h"

namespace transformeter {
namespace {

CaseForecast forecast_of(const Json& memory) {
  CaseForecast forecast;
  const auto bytes = [&](const char* name) { return number_of_path(memory, {name}); };
  forecast.peak = bytes("peak_bytes");
  forecast.weights = bytes("weight_bytes");
  forecast.gradients = bytes("gradient_bytes");
  forecast.optimizer = bytes("optimizer_bytes");
  forecast.activations = bytes("activation_bytes");
  forecast.inputs = bytes("input_bytes");
  forecast.cache = bytes("cache_bytes");
  forecast.mapped = bytes("mapped_weight_bytes");
  forecast.flops = number_of_path(memory, {"useful_flops"});
  forecast.batches = number_of_path(memory, {"batches"}).value_or(1);
  forecast.is_upper_bound = memory.contains("kernels_known") && memory.at("kernels_known") == false;
  if (!forecast.peak) forecast.reason = text_of_path(memory, {"reason"}).value_or("the worker gave no forecast");
  return forecast;
}

CaseForecast without_forecast(std::string reason) {
  CaseForecast forecast;
  forecast.reason = std::move(reason);
  return forecast;
}

}  // namespace

std::vector<CaseForecast> forecast_cases(const Context& context, const PreparedRun& run, const RunnerOptions& options) {
  SessionOptions session_options;
  session_options.worker = run.worker;
  session_options.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options.worker_timeout);
  session_options.interrupt = options.interrupt;
  std::optional<Session> session;
  std::optional<std::int64_t> limit_here;
  std::vector<CaseForecast> forecasts;
  for (const PlannedCase& planned : run.cases) {
    if (planned.record.status) {
      forecasts.push_back(without_forecast(planned.record.status_reason));
    } else if (planned.asked.engine == "auto") {
      forecasts.push_back(without_forecast("engine auto is chosen by trials first"));
    } else if (!run.gives_forecasts) {
      forecasts.push_back(without_forecast(fmt::format("worker '{}' gives no forecasts", run.worker.string())));
    } else {
      if (!session || session->fault()) {
        session_options.memory_limit_bytes = worker_memory_limit(planned.asked);
        session.emplace(context, session_options);
        session->hello();
      }
      const Json settings = prepare_request(planned.record.requested, *session, std::nullopt).settings;
      const auto answer = session->forecast({settings});
      if (session->fault() && session->fault()->status == Status::kInterrupted) {
        throw Error(ErrorKind::kInterrupted, "stopped by the user");
      }
      forecasts.push_back(answer ? forecast_of(answer->memory) : without_forecast(session->fault()->reason));
    }
    // What is available changes from one look to the next.
    if (planned.asked.memory_limit) {
      forecasts.back().limit = worker_memory_limit(planned.asked);
    } else {
      if (!limit_here) limit_here = worker_memory_limit(planned.asked);
      forecasts.back().limit = limit_here;
    }
  }
  if (session && !session->fault()) session->teardown();
  return forecasts;
}

}  // namespace transformeter
