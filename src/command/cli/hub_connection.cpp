// The progress line is drawn as that of a run.
#include "cli/hub_connection.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/units.h"
#include "cli/run_progress.h"
#include "cli/terminal.h"
#include "report/display_text.h"
#include "spec/presets.h"

namespace transformeter {
namespace {

HttpSettings http_settings(const std::atomic<bool>& interrupt) {
  HttpSettings settings;
  settings.interrupt = &interrupt;
  return settings;
}

// Fetches the files of the split; offline it throws, naming the command that does.
std::string fetched_data(HubApi& api, const Context& context, const DataReference& reference,
                         const std::string& split) {
  const std::string& name = reference.repository.name;
  if (api.options().is_offline) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("its files are not complete in the cache '{}', and HF_HUB_OFFLINE is set. With network "
                            "access, run: HF_HUB_OFFLINE=0 transformeter fetch datasets/{} --revision {}",
                            api.options().cache.string(), name, reference.revision));
  }
  context.log(LogLevel::kInfo, fmt::format("data set '{}' is not a local file or folder and not complete in the cache; "
                                           "fetching it from {}",
                                           reference.name(), api.options().endpoint));
  FetchOptions options;
  options.repository = reference.repository;
  options.revision = reference.revision;
  options.choose = [&](const std::vector<std::string>& paths) { return choose_parts(reference, paths, split).files; };
  TransferLine line(context.clock, stderr);
  const HubCache cache(api.options().cache);
  return fetch(api, cache, options, [&](const FetchProgress& progress) { line.draw(progress); }).commit;
}

}  // namespace

HubConnection::HubConnection(const std::atomic<bool>& interrupt)
    : http_(http_settings(interrupt)), api_(http_, hub_options()), cache_(api_.options().cache) {}

TransferLine::TransferLine(const Clock& clock, std::FILE* stream)
    : clock_(clock), stream_(stream), started_(clock.now()), drawn_(started_) {}

TransferLine::~TransferLine() {
  if (!is_drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
}

void TransferLine::draw(const FetchProgress& progress) {
  const Clock::TimePoint now = clock_.now();
  if (!is_drawn_) first_bytes_ = progress.done_bytes;
  if (is_drawn_ && now - drawn_ < std::chrono::milliseconds(100)) return;
  const Terminal terminal = terminal_at(stream_);
  if (!terminal.is_terminal) return;
  const double elapsed = Seconds(now - started_).count();
  const double bytes = static_cast<double>(progress.done_bytes) - static_cast<double>(first_bytes_);
  const std::string line = transfer_text(progress, elapsed > 0.5 ? bytes / elapsed : 0);
  fmt::print(stream_, "\r{}\x1b[K", cut_to_columns(line, terminal.width > 1 ? terminal.width - 1 : 1));
  std::fflush(stream_);
  is_drawn_ = true;
  drawn_ = now;
}

std::string transfer_text(const FetchProgress& progress, double speed) {
  const auto done = static_cast<double>(progress.done_bytes);
  const auto total = static_cast<double>(progress.total_bytes);
  std::string line =
      fmt::format("{} {}/{} {}  {} of {}", bar_text(progress.done_bytes, progress.total_bytes), progress.number,
                  progress.count, one_line(progress.file), format_bytes(done), format_bytes(total));
  if (speed > 0) line += fmt::format("  {}/s", format_bytes(speed));
  return line;
}

std::optional<ResolvedModel> resolve_hub_model(const Context& context, const std::atomic<bool>& interrupt,
                                               const std::string& model, ModelParts parts) {
  if (is_preset(model)) return std::nullopt;
  const auto reference = parse_model_reference(model);
  if (!reference) return std::nullopt;
  HubConnection hub(interrupt);
  TransferLine line(context.clock, stderr);
  return resolve_model(hub.api(), *reference, parts, context.log,
                       [&](const FetchProgress& progress) { line.draw(progress); });
}

std::string pinned_hub_model(const Context& context, const std::atomic<bool>& interrupt, const std::string& model) {
  const auto resolved = resolve_hub_model(context, interrupt, model, ModelParts::kAll);
  return resolved ? parse_model_reference(model)->pinned(resolved->commit) : model;
}

std::string pinned_hub_data(const Context& context, const std::atomic<bool>& interrupt, const std::string& data,
                            const std::string& split) {
  const auto reference = parse_data_reference(data);
  if (!reference) return data;
  HubConnection hub(interrupt);
  try {
    if (const auto cached = cached_data(hub.cache(), *reference, split, hub.api().options().is_offline)) {
      return reference->pinned(cached->commit);
    }
    return reference->pinned(fetched_data(hub.api(), context, *reference, split));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    throw Error(ErrorKind::kBadInput, fmt::format("data '{}' is not a file or folder here, and as a data set of the "
                                                  "hub: {}",
                                                  data, error.what()));
  }
}

FoundData find_data(const Context& context, const std::atomic<bool>& interrupt, const std::string& data,
                    const std::string& split) {
  FoundData found;
  found.name = pinned_hub_data(context, interrupt, data, split);
  found.place = locate_data(found.name, split);
  return found;
}

void pin_hub_names(const Context& context, const std::atomic<bool>& interrupt, Plan& plan) {
  plan.replace_values("model", [&](const Json& model) -> Json {
    return pinned_hub_model(context, interrupt, model.get<std::string>());
  });
  const std::string split = plan.has("split") ? plan.value("split").get<std::string>() : "";
  plan.replace_values("data", [&](const Json& data) -> Json {
    return pinned_hub_data(context, interrupt, data.get<std::string>(), split);
  });
}

}  // namespace transformeter
