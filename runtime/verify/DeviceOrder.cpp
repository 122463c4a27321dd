//===-- DeviceOrder.cpp - a recording, device after device ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/DeviceOrder.h"
#include <algorithm>
#include <numeric>
#include <set>

using namespace bankstripe::runtime;

unsigned bankstripe::runtime::launchingDevices(const Recording &R) {
  std::set<unsigned> Devices;
  for (const Launch &L : R.Launches)
    Devices.insert(L.Device);
  return static_cast<unsigned>(Devices.size());
}

// The numbers of what is listed, that of the first device first.
template <class Item>
static std::vector<unsigned> sortedByDevice(const std::vector<Item> &Items) {
  std::vector<unsigned> Order(Items.size());
  std::iota(Order.begin(), Order.end(), 0U);
  std::ranges::sort(Order, {}, [&Items](unsigned Number) {
    return std::pair(Items[Number].Device, Number);
  });
  return Order;
}

// The new numbers by the old ones.
static std::vector<unsigned> inverse(const std::vector<unsigned> &Order) {
  std::vector<unsigned> Result(Order.size());
  for (unsigned I = 0; I < Order.size(); ++I)
    Result[Order[I]] = I;
  return Result;
}

namespace {

class Sorter {
public:
  explicit Sorter(const Recording &R) : R(R) {}
  DeviceOrder run();

private:
  void sortMemory();
  void sortLaunches();
  void moveChanges();
  void settleEnds();
  unsigned deviceOf(const DigestChange &Change) const {
    return (Change.IsVariable ? R.Variables : R.Allocations)[Change.Allocation]
        .Device;
  }
  unsigned launchesBefore(unsigned Launch, unsigned Device) const;

  const Recording &R;
  DeviceOrder Result;
  std::vector<unsigned> NewLaunch, NewAllocation, NewVariable; ///< By old.
  std::map<unsigned, std::vector<unsigned>> LaunchesOn; ///< Old, by device.
};

} // namespace

// What the launch with the old number Launch would be as one on Device.
unsigned Sorter::launchesBefore(unsigned Launch, unsigned Device) const {
  size_t Count = 0;
  for (const auto &[On, Launches] : LaunchesOn)
    if (On < Device)
      Count += Launches.size();
    else if (On == Device)
      Count += static_cast<size_t>(std::ranges::lower_bound(Launches, Launch) -
                                   Launches.begin());
  return static_cast<unsigned>(Count);
}

// Variables of one name on several devices are numbered in the order in which
// they were met, which is another one in each run.
static std::string nameOnDevice(const Allocation &Variable) {
  const std::string Plain = Variable.Name.substr(0, Variable.Name.find('#'));
  return Variable.Device == 0
             ? Plain
             : Plain + "#device" + std::to_string(Variable.Device);
}

void Sorter::sortMemory() {
  Result.Allocations = sortedByDevice(R.Allocations);
  Result.Variables = sortedByDevice(R.Variables);
  NewAllocation = inverse(Result.Allocations);
  NewVariable = inverse(Result.Variables);
  for (unsigned Old : Result.Allocations) {
    Allocation A = R.Allocations[Old];
    A.Id = NewAllocation[Old];
    A.MadeBefore = launchesBefore(A.MadeBefore, A.Device);
    if (A.FreedBefore)
      A.FreedBefore = launchesBefore(*A.FreedBefore, A.Device);
    Result.Sorted.Allocations.push_back(std::move(A));
  }
  std::set<std::string> Names;
  for (unsigned Old : Result.Variables) {
    Allocation V = R.Variables[Old];
    V.Id = NewVariable[Old];
    // Several modules of one device may have it too.
    if (std::string Name = nameOnDevice(V); Names.insert(Name).second)
      V.Name = std::move(Name);
    Result.Sorted.Variables.push_back(std::move(V));
  }
}

void Sorter::sortLaunches() {
  for (const Launch &L : R.Launches)
    LaunchesOn[L.Device].push_back(L.Index);
  Result.Launches = sortedByDevice(R.Launches);
  NewLaunch = inverse(Result.Launches);
  for (unsigned Old : Result.Launches) {
    Launch L = R.Launches[Old];
    L.Index = NewLaunch[Old];
    L.Changes.clear();
    Result.Sorted.Launches.push_back(std::move(L));
  }
}

void Sorter::moveChanges() {
  std::map<unsigned, unsigned> Latest; // By device: the new number.
  for (const Launch &Old : R.Launches) {
    Latest[Old.Device] = NewLaunch[Old.Index];
    for (const DigestChange &Change : Old.Changes) {
      const auto On = Latest.find(deviceOf(Change));
      if (On == Latest.end())
        continue; // Nothing has been launched there yet.
      Launch &L = Result.Sorted.Launches[On->second];
      if (L.Device != Old.Device)
        (Old.DigestedAtEnd ? L.DigestedAtEnd : L.DigestedBeforeFree) = true;
      DigestChange Moved = Change;
      Moved.Allocation =
          (Change.IsVariable ? NewVariable : NewAllocation)[Change.Allocation];
      L.Changes.push_back(std::move(Moved));
    }
  }
}

// An end sees all devices. Which launch is the last one of all, and whether
// anything is left to look at then, is another matter in each run; a launch
// with digests of its own is compared with those.
void Sorter::settleEnds() {
  const bool HasEnd = std::ranges::any_of(R.Launches, &Launch::DigestedAtEnd);
  for (const auto &[Device, Launches] : LaunchesOn) {
    Launch &Last = Result.Sorted.Launches[NewLaunch[Launches.back()]];
    Last.DigestedAtEnd |= HasEnd;
  }
  for (Launch &L : Result.Sorted.Launches)
    L.DigestedAtEnd &= !L.Digested;
}

DeviceOrder Sorter::run() {
  Result.Sorted.Mode = R.Mode;
  Result.Sorted.Complete = R.Complete;
  sortLaunches();
  sortMemory();
  moveChanges();
  settleEnds();
  return std::move(Result);
}

DeviceOrder bankstripe::runtime::inDeviceOrder(const Recording &R) {
  return Sorter(R).run();
}
