// Scenarios and their names.
#include "schema/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

TEST(Scenarios, AreTheWordsOfTheirSettingButFinetune) {
  std::vector<std::string> words = setting_words(setting_term("scenario"));
  words.emplace_back(name_of(Scenario::kFinetune));
  std::vector<std::string> names;
  for (const ScenarioName& known : kScenarioNames) names.emplace_back(known.name);
  EXPECT_EQ(words, names);
}

TEST(Scenarios, AreBatchWhereACaseNamesNoneThatIsKnown) {
  EXPECT_EQ(scenario_of({{"scenario", "train"}}), Scenario::kTrain);
  for (const Json& requested : {Json(), Json::object(), Json{{"scenario", "server"}}, Json{{"scenario", 1}}}) {
    EXPECT_EQ(scenario_of(requested), Scenario::kBatch) << requested;
  }
}

TEST(Scenarios, AreReadBackFromTheirNames) {
  for (const ScenarioName& known : kScenarioNames) {
    EXPECT_EQ(Json(known.name).get<Scenario>(), known.scenario);
    EXPECT_EQ(name_of(known.scenario), known.name);
  }
  EXPECT_THROW(Json("server").get<Scenario>(), Error);
}

}  // namespace
}  // namespace transformeter
