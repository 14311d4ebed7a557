// Counted events come back as they were sent, and what is malformed is refused.
#include "schema/event_counts.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"

namespace transformeter {
namespace {

std::vector<EventCount> some_events() {
  return {{.name = "cycles", .value = 3e9, .scaled_share = 0.25},
          {.name = "branches", .reason = "this processor does not offer it"}};
}

TEST(EventCounts, ComeBackFromJsonAsTheyWere) {
  EXPECT_EQ(event_counts_from_json(to_json(some_events())), some_events());
  EXPECT_EQ(event_counts_from_json(to_json(std::vector<EventCount>())), std::vector<EventCount>());
  EXPECT_TRUE(to_json(some_events()).at(1).at("value").is_null()) << "not 0";
}

TEST(EventCounts, ComeBackFromJsonByTheirNames) {
  const Json named = named_json(some_events());
  EXPECT_EQ(named.at("cycles"), (Json{{"value", 3e9}, {"scaled_share", 0.25}, {"reason", nullptr}}));
  EXPECT_TRUE(named.at("branches").at("value").is_null()) << "not 0";
  const std::vector<EventCount> events = event_counts_from_named_json(named);  // by name: an object keeps no order
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0], some_events()[1]);
  EXPECT_EQ(events[1], some_events()[0]);
  EXPECT_THROW(event_counts_from_named_json({{"cycles", {{"value", -1}}}}), std::exception);
}

TEST(EventCounts, AreFoundWhereTheyHaveAValue) {
  const std::vector<EventCount> events = some_events();
  ASSERT_NE(find_counted(events, event_name::kCycles), nullptr);
  EXPECT_EQ(find_counted(events, event_name::kCycles)->value, 3e9);
  EXPECT_EQ(find_counted(events, event_name::kBranches), nullptr) << "it was not counted";
  EXPECT_EQ(find_counted(events, "no such event"), nullptr);
}

TEST(EventCounts, AreRefusedWhereTheyAreMalformed) {
  const std::vector<std::function<void(Json&)>> faults{
      [](Json& json) { json[0]["value"] = -1; },
      [](Json& json) { json[0]["scaled_share"] = 1; },
      [](Json& json) { json[0]["scaled_share"] = -0.1; },
      [](Json& json) { json[0]["reason"] = "both a value and a reason"; },
      [](Json& json) { json[0]["value"] = nullptr; },
      [](Json& json) { json[0]["name"] = ""; },
      [](Json& json) { json[0]["name"] = std::string(1000, 'x'); },
      [](Json& json) { json[0]["name"] = "branches"; },
      [](Json& json) { json[1]["reason"] = std::string(kLongestEventReason + 1, 'x'); },
      [](Json& json) { json = Json(kMostEventCounts + 1, json[0]); },
      [](Json& json) { json = 3; },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Json json = to_json(some_events());
    faults[i](json);
    EXPECT_THROW(event_counts_from_json(json), Error) << i;
  }
  for (const char* field : {"name", "value", "scaled_share", "reason"}) {
    Json json = to_json(some_events());
    json[0].erase(field);
    EXPECT_THROW(event_counts_from_json(json), Json::exception) << field;
  }
}

}  // namespace
}  // namespace transformeter
