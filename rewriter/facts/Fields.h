//===-- Fields.h - what the facts of a unit consist of ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of every struct that Archive.h can write and read. A struct that
// gets a field does not compile here until the field is added to its list, in
// the place that it has in the struct:
//
//   error: type 'Use' binds to 9 elements, but only 8 names were provided
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FACTS_FIELDS_H
#define BANKSTRIPE_FACTS_FIELDS_H

#include "facts/Facts.h"
#include <type_traits>

namespace bankstripe {

template <class T, class Struct>
concept Is = std::is_same_v<std::remove_const_t<T>, Struct>;

// Calls Visit with the fields.
#define BANKSTRIPE_FIELDS(STRUCT, ...)                                         \
  template <class Visitor, Is<STRUCT> T>                                       \
  auto visitFields(T &Value, Visitor &&Visit) {                                \
    auto &[__VA_ARGS__] = Value;                                               \
    return Visit(__VA_ARGS__);                                                 \
  }

/// A struct with a list of fields.
template <class T>
concept HasFields =
    requires(T &Value) { visitFields(Value, [](auto &&...) { return true; }); };

// Place.h, SourceFile.h
BANKSTRIPE_FIELDS(Place, File, Line, Column)
BANKSTRIPE_FIELDS(TextRange, File, Offset, Length)
BANKSTRIPE_FIELDS(SourceFile, Path, Digest)

// Callee.h
BANKSTRIPE_FIELDS(Pointee, Text, Const, Dependent)
BANKSTRIPE_FIELDS(PointerDeclaration, Specifiers, Stars, To)
BANKSTRIPE_FIELDS(PointerArgument, Call, Callee, Parameter)
BANKSTRIPE_FIELDS(PointerTrail, Locals, Arguments)
BANKSTRIPE_FIELDS(CalleeParameter, Text, Name, To, Trail)
BANKSTRIPE_FIELDS(Callee, Where, Name, Definition, HostSpecifiers,
                  MayBeReadForHost, Parameters)

// LaunchText.h
BANKSTRIPE_FIELDS(LaunchText, Kernel, Name, Arguments, Deduced, Configuration,
                  Grid, Block, Shared, Replaced, SeesDefinition, Declarations,
                  Problem)
BANKSTRIPE_FIELDS(KernelText, Name, Declarations, Definition, TemplateHead,
                  TemplateArguments, Specifiers, Internal, Problem,
                  VersionProblem)

// Finding.h
BANKSTRIPE_FIELDS(Use, Where, Access, Whole, Name, Brackets, IndexHasComma,
                  ConstantIndex, LoopDepth)
BANKSTRIPE_FIELDS(Obstacle, Why, Where, Detail)
BANKSTRIPE_FIELDS(DeclarationText, Statement, Specifiers, Declarator, Name,
                  Extents, Initializer, Values, ExtentTexts, IndexInStatement,
                  AllDeclarators)
BANKSTRIPE_FIELDS(ArrayInstance, FunctionId, ElementBytes, Alignment,
                  SlotAlignment, Extents, BytesPerThread, Kernels)
BANKSTRIPE_FIELDS(CountedLoop, Where, FewestTrips, MostTrips, Insertion)
BANKSTRIPE_FIELDS(VersionText, Rest, Problem, SharedBytes, Returns, IsWeak)
BANKSTRIPE_FIELDS(Finding, Name, Where, Function, FunctionId, InKernel, Scope,
                  Kernels, Type, ElementBytes, Extents, BytesPerThread,
                  Instances, IsObject, HostDevice, HasConst, ElementDependent,
                  FunctionFiles, SlotsName, StripesName, Init, ConstantInit,
                  NeverWritten, Text, Version, Uses, NeedsAccessor, Trail,
                  OtherDepths, Obstacles, LeadingLoops)
BANKSTRIPE_FIELDS(LaunchBounds, Threads, Text)
BANKSTRIPE_FIELDS(Kernel, Id, Name, Where, Bounds, BoundsInsertion,
                  BoundsExcludedBy, MayEdit, StaticSharedBytes,
                  UsesDynamicShared, AddressTaken, AddressTakenAt,
                  AttributeSetAt, AskedAboutAt, Text)
BANKSTRIPE_FIELDS(HostParameter, FunctionId, Index)
BANKSTRIPE_FIELDS(HostArgument, For, Values, Same)
BANKSTRIPE_FIELDS(Launch, KernelId, Where, Threads, Source, Parameter,
                  DynamicSharedBytes, Cooperative, Unfollowed, GridAsked,
                  OnDevice, Text)
BANKSTRIPE_FIELDS(OccupancyQuery, KernelId, Where, Text)
BANKSTRIPE_FIELDS(DeviceFunction, Id, Calls, Defined, StaticSharedBytes)
BANKSTRIPE_FIELDS(UnitFacts, MainFile, Findings, Kernels, Launches, Queries,
                  Arguments, Callees, Functions, Contents, Sources)

// Evidence.h
BANKSTRIPE_FIELDS(ArrayEvidence, Where, Index, ResidentBytes, UniformAccesses,
                  NonUniformAccesses)
BANKSTRIPE_FIELDS(KernelResources, StackFrame, CalleeFrames, SpillStores,
                  SpillLoads, Registers, SharedBytes, CodeBytes)
BANKSTRIPE_FIELDS(Words, Loaded, Stored)
BANKSTRIPE_FIELDS(ArrayWork, Uniform, NonUniform, Counted)
BANKSTRIPE_FIELDS(KernelWork, Instructions, DoubleOperations, Global, Rows,
                  Gathered, Shared, OtherLocal, GuessedLoops, Arrays)
BANKSTRIPE_FIELDS(UnitEvidence, Arrays, Work, ShortWork, Problem)

// Frontend.h, Plan.h, Facts.h
BANKSTRIPE_FIELDS(CompileJob, File, Directory, OriginalArgs, ClangArgs, Dropped,
                  GpuArch, AllGpuArchs, CudaPath, IsOtherArch)
BANKSTRIPE_FIELDS(UnitResult, Facts, Evidence, Resources)
BANKSTRIPE_FIELDS(ParseOutcome, UsedShim, UsedBuiltinHeader)
BANKSTRIPE_FIELDS(UnitReading, Unit, Diagnostics, Error, Outcome, Trace,
                  WithoutEvidence, AsksForArch)

#undef BANKSTRIPE_FIELDS

/// Enumerations are numbers, up to their last.
template <class E> inline constexpr E LastOf = E();
template <>
inline constexpr Reason LastOf<Reason> = Reason::TranslationUnitsDiffer;
template <>
inline constexpr AccessKind LastOf<AccessKind> = AccessKind::Address;
template <>
inline constexpr InitializerKind LastOf<InitializerKind> =
    InitializerKind::Construct;
template <>
inline constexpr Residency LastOf<Residency> = Residency::LocalMemory;
template <>
inline constexpr Uniformity LastOf<Uniformity> = Uniformity::NonUniform;

} // namespace bankstripe

#endif
