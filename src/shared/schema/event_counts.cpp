// Counts come from a worker or a file, so none is taken unchecked.
#include "schema/event_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

constexpr std::size_t kLongestEventName = 100;

[[noreturn]] void refuse_event(const std::string& what) {
  throw Error(ErrorKind::kProtocol, fmt::format("counted events are malformed: {}", what));
}

EventCount event_from_json(const Json& json) {
  EventCount event;
  json.at("name").get_to(event.name);
  if (event.name.empty() || event.name.size() > kLongestEventName) {
    refuse_event(fmt::format("an event is called '{}'", excerpt(event.name)));
  }
  const Json& value = json.at("value");
  if (!value.is_null()) event.value = value.get<double>();
  if (event.value && (!std::isfinite(*event.value) || *event.value < 0)) {
    refuse_event(fmt::format("{} is {}", event.name, *event.value));
  }
  json.at("scaled_share").get_to(event.scaled_share);
  if (!(event.scaled_share >= 0 && event.scaled_share < 1)) {
    refuse_event(fmt::format("scaled_share of {} is {}", event.name, event.scaled_share));
  }
  const Json& reason = json.at("reason");
  if (!reason.is_null()) reason.get_to(event.reason);
  if (event.reason.size() > kLongestEventReason) refuse_event(fmt::format("the reason of {} is too long", event.name));
  if (event.value.has_value() != event.reason.empty()) {
    refuse_event(fmt::format("{} needs either a value or a reason", event.name));
  }
  return event;
}

// Without the event's name.
Json count_json(const EventCount& event) {
  return {{"value", event.value ? Json(*event.value) : Json()},
          {"scaled_share", event.scaled_share},
          {"reason", event.reason.empty() ? Json() : Json(event.reason)}};
}

}  // namespace

const EventCount* find_counted(const std::vector<EventCount>& events, std::string_view name) {
  const auto found = std::find_if(events.begin(), events.end(), [&](const EventCount& event) {
    return event.name == name && event.value.has_value();
  });
  return found == events.end() ? nullptr : &*found;
}

Json to_json(const std::vector<EventCount>& events) {
  Json list = Json::array();
  for (const EventCount& event : events) {
    list.push_back(count_json(event));
    list.back()["name"] = event.name;
  }
  return list;
}

Json named_json(const std::vector<EventCount>& events) {
  Json named = Json::object();
  for (const EventCount& event : events) named[event.name] = count_json(event);
  return named;
}

std::vector<EventCount> event_counts_from_named_json(const Json& named) {
  Json list = Json::array();
  for (const auto& [name, count] : named.items()) {
    list.push_back(count);
    list.back()["name"] = name;
  }
  return event_counts_from_json(list);
}

std::vector<EventCount> event_counts_from_json(const Json& json) {
  if (!json.is_array()) refuse_event("they are no list");
  if (json.size() > kMostEventCounts) refuse_event(fmt::format("there are {}", json.size()));
  std::vector<EventCount> events;
  for (const Json& one : json) {
    EventCount event = event_from_json(one);
    const bool is_known = std::any_of(events.begin(), events.end(),
                                      [&](const EventCount& earlier) { return earlier.name == event.name; });
    if (is_known) refuse_event(fmt::format("{} is there twice", event.name));
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace transformeter
